import subprocess
import sys

from grounding.interchange import schema
from grounding.interchange.bundle import PARTS

from .examples import CASE


def test_the_published_schema_is_current() -> None:
    assert schema.PUBLISHED.read_text(encoding="utf-8") == schema.text()


def test_the_module_prints_it() -> None:
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "grounding.interchange.schema"],
        capture_output=True,
        check=True,
    )
    assert ran.stdout == schema.PUBLISHED.read_bytes()


def test_it_says_what_is_required_and_that_nothing_else_is_known() -> None:
    schemas = schema.schemas()
    assert list(schemas) == [*PARTS, "manifest"]
    case = schemas["cases"]
    assert case["required"] == ["case_id", "context", "answer", "statements"]
    assert case["additionalProperties"] is False
    assert list(case["properties"]) == list(CASE)


def test_lists_that_may_be_null_say_so() -> None:
    kinds = schema.schemas()["labels"]["properties"]["evidence"]["anyOf"]
    assert [kind["type"] for kind in kinds] == ["array", "null"]

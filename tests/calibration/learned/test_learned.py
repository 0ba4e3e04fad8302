"""Training on a set's own references, up to a run by the ordinary worker."""

from __future__ import annotations

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from calibration import judging, learned, reports, rubrics, runs
from calibration.drafting import trials
from calibration.models import Artifact, RubricVersion
from grounding.errors import Refused
from grounding.interchange.models import Passage
from grounding.rubrics import fingerprint
from labeling.models import Case, Label, Statement
from labeling.sets import exposures
from tests import cast
from tests.calibration.learned import learned_records
from tests.grounding.rubric_examples import with_changes
from tests.kept_rows import put_back

pytestmark = pytest.mark.django_db


@pytest.fixture
def houses(db, tmp_path):
    return put_back("houses", lambda: learned_records.a_set(tmp_path))


def judged(run):
    while runs.status(run) == "running":
        judging.judge_batch(run.pk, worker="tests")
        run.refresh_from_db()
    return run


def folds_of(artifact):
    return Artifact.objects.get(digest=artifact).payload["folds"]


def fold_of(statement, folds):
    passages = [Passage.model_validate(one) for one in statement.case.context]
    return folds[fingerprint(statement.text, passages)]


# ---- what comes of it


def test_what_is_said_to_be_cross_validated_is_what_the_run_comes_to(houses):
    trained = learned.train(houses)
    said = trained.figures["verdict"]["cross_validated"]["agreement"]
    report = reports.create(judged(runs.start(houses, trained.rubric_version)), minimum="single")
    assert report.figures["outcomes"]["graded"] == 48
    assert (report.figures["verdict"]["count"], report.figures["verdict"]["n"]) == (
        said["count"],
        said["n"],
    )
    assert said["n"] == 48
    assert said["interval"] == pytest.approx(report.figures["verdict"]["interval"])
    assert said["count"] > 40
    assert str(said["count"]) in trained.rubric_version.definition["description"]


def test_each_statement_of_the_set_has_a_fold_which_its_pair_shares(houses):
    # A few without a label: they are held out too, for when it comes.
    Label.objects.filter(statement__case__pair_id="house-3").delete()
    folds = folds_of(learned.train(houses).artifact)
    by_pair = {}
    for statement in Statement.objects.filter(case__set=houses).select_related("case"):
        by_pair.setdefault(statement.case.pair_id, set()).add(fold_of(statement, folds))
    assert len(by_pair) == 24
    assert all(len(found) == 1 for found in by_pair.values())
    assert len({next(iter(found)) for found in by_pair.values()}) == 10


def test_a_statement_is_graded_by_a_fit_that_its_own_label_never_reached(houses):
    """Turn one pair's labels round: what is said of that pair stays, letter for letter."""
    first = learned.train(houses)
    before = answers(houses, first.rubric_version)
    for label in Label.objects.filter(statement__case__pair_id="house-4"):
        turned = {"supported": "contradictory"}.get(label.verdict, "supported")
        Label.objects.filter(pk=label.pk).update(verdict=turned)
    second = learned.train(houses)
    after = answers(houses, second.rubric_version)
    assert first.artifact != second.artifact
    own = {key for key in before if key[0].startswith("house-4-")}
    assert len(own) == 2
    assert {key: before[key] for key in own} == {key: after[key] for key in own}
    assert any(before[key] != after[key] for key in before.keys() - own)


def answers(calibration_set, version):
    run = judged(runs.start(calibration_set, version))
    rows = run.judgments.values_list(
        "statement__case__case_id", "statement__statement_id", "verdict", "confidence"
    )
    return {(case, statement): said for case, statement, *said in rows}


def test_the_artifact_holds_no_text(houses):
    stored = json.dumps(Artifact.objects.get(digest=learned.train(houses).artifact).payload)
    assert not [word for word in learned_records.WORDS if word in stored]


def test_the_version_names_what_it_was_trained_on_and_has_the_shipped_scope(houses, rubric):
    version = learned.train(houses).rubric_version
    parameters = version.definition["judge"]["parameters"]
    assert str(version) == "learned-houses@1.0.0"
    assert version.scope_digest == rubric.scope_digest
    assert parameters["references"] == learned.train(houses).figures["reference"]["digest"]
    assert "48 single" in version.definition["description"]


def test_trained_again_on_the_same_it_is_the_version_that_is_there(houses):
    first, second = learned.train(houses), learned.train(houses)
    assert first.rubric_version == second.rubric_version
    assert RubricVersion.objects.count() == Artifact.objects.count() == 1


def test_another_label_makes_another_version_of_the_same_line(houses):
    learned.train(houses)
    Label.objects.filter(statement__case__case_id="house-0-a").update(verdict="unsupported")
    second = learned.train(houses)
    assert str(second.rubric_version) == "learned-houses@1.1.0"
    assert second.rubric_version.required_bump == "minor"


def test_it_takes_the_scope_of_the_version_that_it_is_to_stand_beside(houses):
    learned.train(houses)
    mapping = {"yes": "supported", "no": "unsupported", "against": "contradictory"}
    other = rubrics.release(with_changes(name="other", verdict_mapping=mapping)).rubric_version
    definition = rubrics.verified_definition(other)
    version = learned.train(houses, scope=definition).rubric_version
    assert str(version) == "learned-houses@2.0.0"
    assert version.scope_digest == other.scope_digest
    run = judged(runs.start(houses, version))
    assert {*run.judgments.values_list("raw_verdict", flat=True)} <= {"yes", "no", "against"}
    # And back again: nothing new is released, and another label goes on with its own line.
    assert str(learned.train(houses).rubric_version) == "learned-houses@1.0.0"
    Label.objects.filter(statement__case__case_id="house-0-a").update(verdict="unsupported")
    assert str(learned.train(houses).rubric_version) == "learned-houses@1.1.0"


def test_statements_that_came_later_are_graded_by_the_fit_on_all(houses, tmp_path):
    version = learned.train(houses).rubric_version
    learned_records.a_set(tmp_path, pairs=25)
    houses.refresh_from_db()
    run = judged(runs.start(houses, version))
    said = Counter(
        "all references" in one for one in run.judgments.values_list("explanation", flat=True)
    )
    assert said == {True: 2, False: 48}


def test_a_trial_of_it_is_graded_as_well(houses):
    definition = rubrics.verified_definition(learned.train(houses).rubric_version)
    (tried,) = trials.try_out(definition, houses, ["house-0-a"])
    assert tried.statements[0].grade.verdict == "supported"


# ---- what is refused


def test_the_authors_expectation_is_not_taken_unless_asked_for(tmp_path):
    unlabelled = learned_records.a_set(tmp_path, verdict=None)
    with pytest.raises(Refused, match="needs 30 references, and 0 statements"):
        learned.train(unlabelled)
    trained = learned.train(unlabelled, minimum="author")
    assert trained.figures["reference"]["tiers"]["author"] == 48
    assert "48 author" in trained.rubric_version.definition["description"]


def test_too_few_references_are_refused_with_their_number(tmp_path):
    with pytest.raises(Refused, match="needs 30 references, and 28 statements"):
        learned.train(learned_records.a_set(tmp_path, pairs=14))
    assert not Artifact.objects.exists()


def test_answers_of_one_kind_are_refused(tmp_path):
    alike = learned_records.a_set(tmp_path, verdict="supported")
    with pytest.raises(Refused, match="every reference of houses is supported"):
        learned.train(alike)


def test_references_that_teach_nothing_are_not_counted(tmp_path):
    views = learned_records.a_set(tmp_path, claim_class="interpretation", verdict="not_applicable")
    with pytest.raises(Refused, match="and 0 assertions"):
        learned.train(views)


def test_a_single_pair_is_refused(houses):
    Case.objects.filter(set=houses).update(pair_id="one")
    with pytest.raises(Refused, match="single pair"):
        learned.train(houses)


def test_a_page_does_not_begin_what_takes_too_long(houses):
    with pytest.raises(Refused, match="train_judge houses"):
        learned.train(houses, most=47)
    assert learned.train(houses, most=48)


def test_a_run_is_refused_where_its_weights_are_not_kept(houses, monkeypatch):
    version = learned.train(houses).rubric_version
    Artifact.objects.all().delete()
    monkeypatch.setattr("grounding.judges.learned.weights._kept", {})
    with pytest.raises(Refused, match="no artifact sha256:"):
        runs.start(houses, version)


def test_weights_that_were_changed_in_the_store_are_refused(houses, monkeypatch):
    trained = learned.train(houses)
    row = Artifact.objects.get(digest=trained.artifact)
    row.payload["whole"]["verdict"]["intercepts"][0] += 1
    row.save()
    monkeypatch.setattr("grounding.judges.learned.weights._kept", {})
    with pytest.raises(Refused, match="others came back"):
        runs.start(houses, trained.rubric_version)


# ---- from a terminal and from a page


def test_the_command_prints_what_was_learned(houses):
    out = StringIO()
    call_command("train_judge", "houses", "--json", stdout=out, stderr=StringIO())
    printed = json.loads(out.getvalue())
    assert (printed["rubric"], printed["version"]) == ("learned-houses", "1.0.0")
    assert printed["folds"] == 10
    assert printed["verdict"]["fitted"]["agreement"]["n"] == 48
    assert printed["class"] is None


def test_a_lead_trains_from_the_page_and_has_then_seen_how_a_judge_does(houses, client):
    people = cast.assemble(houses)
    client.force_login(people.lead)
    page = client.get(reverse("rubrics") + "?set=houses")
    assert reverse("train-judge", args=["houses"]) in page.content.decode()
    done = client.post(reverse("train-judge", args=["houses"]), {"reference": "single"})
    version = RubricVersion.objects.get()
    assert done["Location"].startswith(reverse("rubric-version", args=[version.name, "1.0.0"]))
    assert exposures.saw_judges(houses, people.lead)


def test_a_training_that_is_refused_says_why_on_the_page(houses, client):
    Label.objects.all().delete()
    people = cast.assemble(houses)
    client.force_login(people.lead)
    refused = client.post(reverse("train-judge", args=["houses"]), {"reference": "single"})
    assert refused.status_code == 409
    assert "needs 30 references" in refused.content.decode()

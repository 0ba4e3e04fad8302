"""The settings of the product, with the page that the desk is measured beside."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.desk_urls"

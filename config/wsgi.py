"""The WSGI entry point."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from config import environment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

environment.pooled(settings.DATABASES)

application = get_wsgi_application()

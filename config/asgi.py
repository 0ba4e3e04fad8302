"""The ASGI entry point."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application

from config import environment

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

environment.pooled(settings.DATABASES)

application = get_asgi_application()

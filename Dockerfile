# One image; the command chooses: web (below), runexecutor, runscheduler, runwatchdog, migrate.
FROM python:3.13-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    DJANGO_ENV=production

WORKDIR /app

COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock

COPY . ./
RUN SECRET_KEY=only-for-this-step JWT_SIGNING_KEY=nothing-is-signed-while-files-are-collected python manage.py collectstatic --noinput \
    && useradd --system --no-create-home controlplane

USER controlplane
EXPOSE 8000
CMD ["uvicorn", "controlplane.asgi:application", "--host", "0.0.0.0", "--port", "8000", "--timeout-graceful-shutdown", "3"]

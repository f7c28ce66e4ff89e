# The server: `docker build -t howgood .`; compose.yaml runs it with PostgreSQL, HTTPS and backups.
# Nothing is written outside /data and /tmp, so the root file system can be read-only.
FROM python:3.13-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
RUN python -m venv /opt/howgood
WORKDIR /src
COPY requirements-server.lock ./
RUN /opt/howgood/bin/pip install --no-deps --require-hashes -r requirements-server.lock
COPY pyproject.toml hatch_build.py README.md LICENSE CHANGELOG.md CITATION.cff ./
COPY src ./src
RUN /opt/howgood/bin/pip install --no-deps . && /opt/howgood/bin/howgood --version

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="howgood" \
      org.opencontainers.image.description="Ask people, learn what they value, decide which model to ship" \
      org.opencontainers.image.licenses="MIT"
RUN useradd --uid 10001 --home-dir /data --create-home --shell /usr/sbin/nologin howgood
COPY --from=build /opt/howgood /opt/howgood
ENV PATH=/opt/howgood/bin:$PATH \
    HOWGOOD_DATABASE=/data/howgood.sqlite \
    MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
CMD ["howgood", "serve", "--host", "0.0.0.0", "--port", "8000"]

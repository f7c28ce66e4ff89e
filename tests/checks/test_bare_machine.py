"""What a machine lacks comes from locked wheels: PostgreSQL, Java, and a word about the browser."""

import os
import shutil
import subprocess
import sys

import checks.browser
import psycopg
import pytest
from playwright.sync_api import sync_playwright
from tests import java, postgresql

from checks import registry_browser


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without Java, PostgreSQL or Chromium, not even one brought from registries."""
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(checks.browser, "_OWN", tmp_path)
    monkeypatch.setattr(postgresql, "_SYSTEM", "/no/such/folder")


@pytest.mark.parametrize("out_of_reach", [False, True])
def test_postgresql_comes_from_the_wheel(bare, monkeypatch, out_of_reach):
    if out_of_reach:  # as in a checkout where only root may look
        monkeypatch.setattr(postgresql, "_may_run", lambda programs, user: False)
    with postgresql.running_postgresql() as server:
        address = f"host={server.folder} user=howgood dbname=postgres"
        connection = psycopg.connect(address)
        assert connection.execute("SELECT 1").fetchone() == (1,)
        connection.close()


def test_java_comes_from_the_wheel_without_the_module_it_lacks(bare, monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    java.provide_java()
    words = ["--add-modules=jdk.incubator.vector", "-Dname=two words", "-version"]
    done = subprocess.run([f"{os.environ['JAVA_HOME']}/bin/java", *words], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert b"openjdk" in done.stderr


def test_without_a_browser_and_without_leave_to_install_one_there_is_none(bare, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(checks.browser, "_bring", lambda: None)
    assert checks.browser.browser() is None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the package holds a program for Linux")
def test_chromium_comes_from_a_registry_where_nobody_is_root(tmp_path):
    program = registry_browser.bring_browser(tmp_path)
    assert program is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--disable-gpu"])
        page = browser.new_page()
        page.set_content("<p id=a></p><script>a.textContent = 'it ' + 'runs'</script>")
        assert page.inner_text("#a") == "it runs"
        browser.close()

"""Where Alembic starts: runs the steps on the connection `store.migrate` opened.

In: Alembic's context. Out: migrated tables. Absent: connections of its own, and offline mode.
"""

from alembic import context

from howgood.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite alters tables by copying them: batch mode.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()

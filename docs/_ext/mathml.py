"""Formulas as MathML: browsers draw it themselves, so no script and no other host is needed."""

import latex2mathml.converter


def _inline(translator, node):
    translator.body.append(latex2mathml.converter.convert(node.astext()))
    _skip_children()


def _block(translator, node):
    mathml = latex2mathml.converter.convert(node.astext(), display="block")
    translator.body.append(f'<div class="math">{mathml}</div>')
    _skip_children()


def _skip_children():
    from docutils import nodes

    raise nodes.SkipNode


def setup(app):
    """Register the renderer with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}

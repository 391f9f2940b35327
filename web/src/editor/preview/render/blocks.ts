import { syntaxTree } from '@codemirror/language';
import { isShownHtml } from '@notevault/note-html/shown-html.ts';
import { HtmlWidget } from '../../media/html.ts';
import { MathBlockWidget } from '../../media/math.ts';
import { MermaidWidget } from '../../media/mermaid.ts';
import { QueryWidget } from '../../media/query-table.ts';
import { PropertiesWidget } from '../../properties/widget.ts';
import { TableWidget } from '../../table/widget.ts';
import type { BlockRenderer } from '../block-field.ts';
import { titleBehind } from '../title.ts';

/** Formulas between lines of `$$`. */
export const mathBlocks: BlockRenderer = {
  nodes: ['BlockMath'],
  candidate({ from, to }, { doc }) {
    const formula = doc
      .sliceString(from, to)
      .replace(/^\$\$/, '')
      .replace(/\$\$\s*$/, '')
      .trim();
    return formula === '' ? null : { widget: new MathBlockWidget(formula), staysBelow: true };
  },
};

/** Code blocks that are rendered: Mermaid diagrams and query tables. */
export const drawnCode: BlockRenderer = {
  nodes: ['FencedCode'],
  candidate({ from, to }, state) {
    const head = state.doc.lineAt(from).text.trim();
    const [, language] = /^(?:`{3,}|~{3,})[ \t]*(mermaid|query|base)\b/i.exec(head) ?? [];
    if (language === undefined) return null;
    const code = syntaxTree(state).resolveInner(from, 1).parent?.getChild('CodeText') ?? codeText(state, from);
    if (code === null) return null;
    const source = state.doc.sliceString(code.from, Math.min(code.to, to)).trim();
    if (source === '') return null;
    const kind = language.toLowerCase();
    const widget = kind === 'query' || kind === 'base' ? new QueryWidget(kind, source) : new MermaidWidget(source);
    return { widget, staysBelow: true };
  },
};

function codeText(state: Parameters<BlockRenderer['candidate']>[1], at: number) {
  return syntaxTree(state).resolve(at, 1).getChild('CodeText');
}

/** Renders tables in reading mode. While editing they stay text, because a copy of the cells could lose content. */
export const readingTables: BlockRenderer = {
  nodes: ['Table'],
  candidate({ from, to }, { doc }, mode) {
    return mode === 'reading' ? { widget: new TableWidget(doc.sliceString(from, to)), staysBelow: false } : null;
  },
};

/** Blocks of HTML. */
export const htmlBlocks: BlockRenderer = {
  nodes: ['HTMLBlock'],
  candidate({ from, to }, { doc }) {
    const source = doc.sliceString(from, to);
    return isShownHtml(source) ? { widget: new HtmlWidget(source), staysBelow: false } : null;
  },
};

/** The frontmatter as a properties panel, placed below the note's title if the text begins with it. */
export const properties: BlockRenderer = {
  nodes: ['Frontmatter'],
  candidate({ from, to }, state, mode) {
    const widget = new PropertiesWidget(state.doc.sliceString(from, to), mode === 'reading');
    return { widget, staysBelow: false, below: titleBehind(state, to)?.to };
  },
};

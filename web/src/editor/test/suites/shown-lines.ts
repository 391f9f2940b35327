/** An element as a test reads it from a page. */
export interface Shown {
  readonly name: string;
  readonly classes: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Shown | string)[];
}

/** Copies an element out of the page. Runs in the page. */
export function readElement(root: Element): Shown {
  const read = (element: Element): Shown => ({
    name: element.localName,
    classes: [...element.classList],
    attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value])),
    children: [...element.childNodes].flatMap((child): (Shown | string)[] => {
      if (child instanceof Text) return [child.data];
      return child instanceof Element ? [read(child)] : [];
    }),
  });
  return read(root);
}

/** Elements and classes that mark text, in the editor and on public pages. */
const MARKS: Readonly<Record<string, string>> = {
  ...{ strong: 'strong', b: 'strong', em: 'em', i: 'em', s: 'strike', del: 'strike', mark: 'highlight', code: 'code' },
  ...{ sup: 'sup', sub: 'sub', tag: 'tag', fn: 'footnote', a: 'link' },
  ...{ 'nv-strong': 'strong', 'nv-em': 'em', 'nv-strike': 'strike', 'nv-highlight': 'highlight', 'nv-code': 'code' },
  ...{ 'nv-sup': 'sup', 'nv-sub': 'sub', 'nv-tag': 'tag', 'nv-footnote': 'footnote' },
  'nv-link': 'link',
};
/** Controls, marks of lists and footnotes, and blank lines of the editor. */
const HIDDEN = [
  ...['button', 'svg', 'cm-widgetBuffer', 'nv-visually-hidden', 'nv-list-prefix', 'nv-footnote-label'],
  ...['nv-blank', 'nv-chips'],
];
/** Elements whose children are text with marks, not lines. */
const LINES = [
  ...['p', 'summary', 'pre', 'th', 'td', 'html', 'cm-line', 'nv-html-block'],
  ...['formula', 'nv-math-block'],
];
/** Names of code languages. */
const LANGUAGE = ['figcaption', 'nv-code-language'];
const DEAD_LINKS = ['nv-link-dangling', 'nv-link-refused'];
const CALLOUT = /^(?:c|nv-callout)-(?!title|head|icon)(\w+)$/;

const is = ({ name, classes }: Shown, names: readonly string[]) =>
  names.some((one) => one === name || classes.includes(one));
const has = (element: Shown, name: string): boolean => find(element, name) !== undefined;

/** Finds an element in another by its name or class. */
function find(element: Shown, name: string): Shown | undefined {
  if (is(element, [name])) return element;
  for (const child of element.children) {
    const found = typeof child === 'string' ? undefined : find(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function textOf({ children }: Shown): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** The blocks around a line. */
interface Around {
  readonly items: number;
  readonly quotes: number;
  readonly more: readonly string[];
}

/** Returns what a page shows, line by line: the kind of each line, and its text with the marks on it. */
export function shownLines(root: Shown): string[] {
  const reader = new LineReader();
  reader.block(root, { items: 0, quotes: 0, more: [] });
  return reader.lines();
}

class LineReader {
  readonly #lines: { readonly kind: string; runs: { readonly marks: string; text: string }[] }[] = [];

  lines(): string[] {
    return this.#lines.flatMap(({ kind, runs }) => {
      // Code of no language is one run, which has a class of its own in the editor.
      const isPlain = (marks: string) =>
        marks === '' || (marks === 'token' && runs.filter((run) => run.text.trim() !== '').length === 1);
      const written = runs.map(({ marks, text }) => (isPlain(marks) ? text : `<${marks}>${text}</>`)).join('');
      const text = written.trim().replace(/\s+/g, ' ');
      return text === '' && kind !== 'rule' ? [] : [`${kind}: ${text}`];
    });
  }

  block(element: Shown, around: Around): void {
    const inside = aroundChildren(element, around);
    if (is(element, HIDDEN)) return;
    if (is(element, LANGUAGE)) this.#language(element);
    else if (is(element, ['hr', 'nv-rule'])) this.#begin('rule');
    else if (is(element, LINES) || /^h\d$/.test(element.name)) this.#line(element, kindOf(element, inside));
    else for (const child of element.children) if (typeof child !== 'string') this.block(child, inside);
  }

  #begin(kind: string): void {
    this.#lines.push({ kind, runs: [] });
  }

  #language(element: Shown): void {
    this.#begin('language');
    this.#write(textOf(element), [], 'language');
  }

  #line(element: Shown, kind: string): void {
    this.#begin(kind);
    this.#inline(element, [], kind);
  }

  #inline(element: Shown, around: readonly string[], kind: string): void {
    const formula = is(element, ['katex']) ? find(element, 'annotation') : undefined;
    if (is(element, HIDDEN)) return;
    if (element.name === 'br') this.#begin(kind);
    else if (element.name === 'img') this.#write(`width ${widthOf(element)}`, ['image'], kind);
    else if (formula !== undefined) this.#write(textOf(formula), [...around, 'formula'], kind);
    else if (is(element, LANGUAGE)) {
      this.#language(element);
      this.#begin(kind);
    } else {
      const own = is(element, DEAD_LINKS)
        ? []
        : [element.name, ...element.classes].flatMap((name) => MARKS[name] ?? []);
      // Colours of code have other classes in the editor.
      const marks = kind.includes('code') ? (element.name === 'span' ? ['token'] : []) : [...around, ...own];
      for (const child of element.children) {
        if (typeof child === 'string') this.#write(child, marks, kind);
        else this.#inline(child, marks, kind);
      }
    }
  }

  #write(text: string, marks: readonly string[], kind: string): void {
    const isFootnote = marks.includes('footnote');
    const name = isFootnote ? 'footnote' : [...new Set(marks)].sort().join(' ');
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) this.#begin(kind);
      const runs = this.#lines.at(-1)?.runs ?? [];
      const last = runs.at(-1);
      if (last?.marks === name) last.text += part;
      else if (part !== '') runs.push({ marks: name, text: part });
    }
  }
}

function widthOf({ attributes: { width, style = '' } }: Shown): string | undefined {
  return width ?? /width: (\d+)/.exec(style)?.[1];
}

function aroundChildren(element: Shown, { items, quotes, more }: Around): Around {
  const { role = '' } = element.attributes;
  const look = element.classes.flatMap((name) => CALLOUT.exec(name)?.[1] ?? [])[0];
  const isFootnote = is(element, ['footnote']) || (is(element, ['cm-line']) && has(element, 'nv-footnote-label'));
  return {
    items: items + Number(element.name === 'li' || role === 'listitem'),
    quotes: quotes + Number(element.name === 'blockquote' || role === 'blockquote'),
    more: [...more, ...(look === undefined ? [] : [`callout ${look}`]), ...(isFootnote ? ['footnote'] : [])],
  };
}

function kindOf(element: Shown, { items, quotes, more }: Around): string {
  const { style = '' } = element.attributes;
  const level = element.attributes['aria-level'] ?? /^h(\d)$/.exec(element.name)?.[1];
  const align =
    /text-align: (\w+)/.exec(style)?.[1] ?? element.classes.find((name) => /^(?:left|center|right)$/.test(name));
  const own = [
    ...(level === undefined ? [] : [`heading ${level}`]),
    ...(/^t[hd]$/.test(element.name) ? [element.name, align ?? ''] : []),
    ...(is(element, ['task', 'nv-task-line']) ? [is(element, ['done', 'nv-task-done']) ? 'done' : 'open'] : []),
    ...(element.name === 'pre' || is(element, ['nv-code-line']) ? ['code'] : []),
    ...(is(element, ['formula', 'nv-math-block']) ? ['formula'] : []),
    ...(items > 0 ? [`item ${items}`] : []),
    ...(quotes > 0 ? [`quote ${quotes}`] : []),
  ];
  return [...own, ...more].filter((part) => part !== '').join(' ') || 'text';
}

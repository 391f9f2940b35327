import { HTML_TAGS } from '@notevault/note-html/html-tags.ts';
import DOMPurify from 'dompurify';
import { toCellText } from '../table/cell-text.ts';

/** Markdown with embedded images that are still to be uploaded. */
export interface PastedMarkdown {
  readonly text: string;
  readonly images: readonly { readonly at: number; readonly file: File }[];
}

const TAGS = [
  ...HTML_TAGS,
  ...['article', 'section', 'main', 'header', 'footer', 'aside', 'nav', 'address', 'img', 'input', 'strike', 'tt'],
];
const ATTRIBUTES = ['href', 'src', 'alt', 'start', 'checked', 'type', 'style', 'class'];
const HANDLERS = /\son[a-z]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi;

/**
 * Converts HTML of the clipboard to markdown. The HTML is parsed in a separate document, in which nothing runs or
 * loads.
 */
export function markdownOf(html: string): PastedMarkdown {
  const fragment = DOMPurify.sanitize(html.replace(HANDLERS, ''), {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
  return new MarkdownWriter().write(fragment);
}

const BLOCKS =
  'address,article,aside,blockquote,dd,details,div,dl,dt,figcaption,figure,footer,h1,h2,h3,h4,h5,h6,header,hr,li,main,nav,ol,p,pre,section,summary,table,tbody,td,tfoot,th,thead,tr,ul';
/** Placeholder for an image until its position is known. */
const PLACE = '\ue000';

type Mark = '**' | '*' | '~~' | '==';

class MarkdownWriter {
  readonly #files: File[] = [];
  readonly #marks = new Set<Mark>();

  write(fragment: DocumentFragment): PastedMarkdown {
    const [first = '', ...rest] = this.#blocks(fragment).split(PLACE);
    let text = first;
    const images = rest.map((part, index) => {
      const at = text.length;
      text += part;
      return { at, file: this.#files[index] ?? new File([], '') };
    });
    return { text, images };
  }

  #blocks(parent: ParentNode, separator = '\n\n'): string {
    return this.#parts(parent)
      .map(({ text }) => text)
      .join(separator);
  }

  /** Returns the blocks in a node; text between them becomes a paragraph. */
  #parts(parent: ParentNode): { readonly text: string; readonly isList: boolean }[] {
    const parts: { text: string; isList: boolean }[] = [];
    let line = '';
    const add = (text: string, isList: boolean) => {
      if (text.trim() !== '') parts.push({ text, isList });
    };
    for (const child of parent.childNodes) {
      if (!isBlock(child)) {
        line += this.#inline(child);
        continue;
      }
      add(tidy(line), false);
      line = '';
      add(this.#block(child), child.matches('ul,ol'));
    }
    add(tidy(line), false);
    return parts;
  }

  #block(node: Element): string {
    const name = node.localName;
    if (/^h[1-6]$/.test(name)) return `${'#'.repeat(Number(name.charAt(1)))} ${this.#line(node)}`;
    switch (name) {
      case 'hr':
        return '---';
      case 'pre':
        return fence(node);
      case 'blockquote':
        return indent(this.#blocks(node), '> ', '> ');
      case 'ul':
      case 'ol':
        return this.#list(node);
      case 'table':
        return this.#table(node);
      case 'li':
        return `- ${this.#item(node, 2)}`;
      default:
        return this.#blocks(node);
    }
  }

  #list(list: Element): string {
    let number = Number(list.getAttribute('start') ?? 1) || 1;
    const items: string[] = [];
    for (const child of list.children) {
      // Some programs put a nested list beside its item instead of inside.
      if (child.matches('ul,ol')) items.push(indent(this.#list(child), '    ', '    '));
      else {
        const mark = list.localName === 'ol' ? `${number++}. ` : '- ';
        items.push(mark + this.#item(child, mark.length));
      }
    }
    return items.join('\n');
  }

  #item(item: Element, width: number): string {
    const box = item.querySelector('input[type=checkbox]');
    const task = box?.closest('li') === item ? (box.hasAttribute('checked') ? '[x] ' : '[ ] ') : '';
    const text = this.#parts(item).reduce(
      (all, { text, isList }) => all + (all === '' ? '' : isList ? '\n' : '\n\n') + text,
      '',
    );
    return task + indent(text, '', ' '.repeat(width));
  }

  /** Converts a table. A table that only lays out a page is replaced by its contents. */
  #table(table: Element): string {
    const rows = [...table.querySelectorAll('tr')].filter((row) => row.closest('table') === table);
    const cells = rows.map((row) => [...row.children].filter((cell) => cell.matches('td,th')));
    const width = Math.max(0, ...cells.map((row) => row.length));
    if (width < 2 || table.querySelector('table') !== null) {
      return cells
        .flat()
        .map((cell) => this.#blocks(cell))
        .filter((text) => text !== '')
        .join('\n\n');
    }
    const lines = cells.map((row) =>
      Array.from({ length: width }, (_, column) => {
        const cell = row[column];
        return cell === undefined ? '' : toCellText(this.#blocks(cell, '\n'));
      }),
    );
    const [header = [], ...body] = lines;
    const rule = header.map(() => '---');
    return [header, rule, ...body].map((row) => `| ${row.join(' | ')} |`).join('\n');
  }

  /** Returns the content of a node as one line. */
  #line(node: Element): string {
    return tidy([...node.childNodes].map((child) => this.#inline(child)).join('')).replace(/\n+/g, ' ');
  }

  #inline(node: Node): string {
    if (node.nodeType === Node.TEXT_NODE) return escapeMarks(node.nodeValue ?? '');
    if (!(node instanceof Element)) return '';
    const inner = () => [...node.childNodes].map((child) => this.#inline(child)).join('');
    switch (node.localName) {
      case 'br':
        return '\n';
      case 'code':
      case 'kbd':
      case 'samp':
      case 'tt':
        return codeSpan(node.textContent);
      case 'a':
        return link(node.getAttribute('href') ?? '', tidy(inner()).replace(/\n+/g, ' '));
      case 'img':
        return this.#image(node.getAttribute('src') ?? '', node.getAttribute('alt') ?? '');
      case 'input':
        return '';
      default:
        return this.#marked(marksOf(node), inner);
    }
  }

  #marked(wanted: readonly Mark[], inner: () => string): string {
    const marks = wanted.filter((mark) => !this.#marks.has(mark));
    for (const mark of marks) this.#marks.add(mark);
    const text = marks.reduceRight((all, mark) => wrap(all, mark), inner());
    for (const mark of marks) this.#marks.delete(mark);
    return text;
  }

  /** Converts an image. One in the clipboard is uploaded; one of another server keeps its URL and is not loaded. */
  #image(url: string, alt: string): string {
    if (/^https?:/i.test(url)) return `![${escapeMarks(alt)}](${address(url)})`;
    const file = dataFile(url);
    if (file === null) return escapeMarks(alt);
    this.#files.push(file);
    return PLACE;
  }
}

function isBlock(node: Node): node is Element {
  if (!(node instanceof Element) || node.localName === 'a') return false;
  return node.matches(BLOCKS) || node.querySelector(BLOCKS) !== null;
}

/** Returns the marks of an element, by its tag or, as word processors do, by its style. */
function marksOf(node: Element): Mark[] {
  const style = node.getAttribute('style') ?? '';
  const isPlain = /font-weight:\s*(?:normal|[1-5]00)/i.test(style);
  const marks: Mark[] = [];
  if ((/^(?:b|strong)$/.test(node.localName) && !isPlain) || /font-weight:\s*(?:bold|[6-9]00)/i.test(style))
    marks.push('**');
  if (/^(?:i|em|cite|var|dfn)$/.test(node.localName) || /font-style:\s*italic/i.test(style)) marks.push('*');
  if (/^(?:s|del|strike)$/.test(node.localName) || /line-through/i.test(style)) marks.push('~~');
  if (node.localName === 'mark') marks.push('==');
  return marks;
}

/** Puts marks around a text, with the surrounding spaces outside the marks. */
function wrap(text: string, mark: Mark): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return inner === '' || inner.includes('\n\n') ? text : `${before}${mark}${inner}${mark}${after}`;
}

function link(href: string, label: string): string {
  if (label === '' || !/^(?:https?|mailto):/i.test(href)) return label;
  return `[${label}](${address(href)})`;
}

function address(url: string): string {
  return url.replace(/[()<>\s]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

function codeSpan(text: string): string {
  const code = text.replace(/\s+/g, ' ');
  if (code.trim() === '') return code;
  const ticks = '`'.repeat(longestRun(code) + 1);
  const pad = /^`|`$/.test(code) ? ' ' : '';
  return ticks + pad + code + pad + ticks;
}

function fence(pre: Element): string {
  const code = pre.textContent.replace(/^\n|\n$/g, '');
  const classes = `${pre.className} ${pre.querySelector('code')?.className ?? ''}`;
  const language = /(?:language|lang|highlight-source)-([\w+#-]+)/.exec(classes)?.[1] ?? '';
  const ticks = '`'.repeat(Math.max(3, longestRun(code) + 1));
  return `${ticks}${language}\n${code}\n${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

function indent(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first : line === '' ? others.trimEnd() : others) + line)
    .join('\n');
}

/** Escapes characters of a text that would be read as marks. */
function escapeMarks(text: string): string {
  return text
    .replaceAll(PLACE, '')
    .replace(/[\s\u00a0]+/g, ' ')
    .replace(/[\\`*[\]<]|~~|==|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, (mark) => `\\${mark}`);
}

/** Returns a paragraph with its lines escaped, so that none begins another block. */
function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/^(?:#{1,6}(?=\s)|[-+>](?=\s|$)|\d+(?=[.)]\s))/, (mark) => beginning(mark)))
    .join('\n')
    .trim();
}

function beginning(mark: string): string {
  return /\d/.test(mark) ? `${mark}\\` : `\\${mark}`;
}

const IMAGE = /^data:image\/(png|jpeg|gif|webp|avif);base64,([a-z0-9+/=\s]+)$/i;

function dataFile(url: string): File | null {
  const [, kind = '', data = ''] = IMAGE.exec(url) ?? [];
  if (kind === '') return null;
  try {
    const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
    return new File([bytes], `image.${kind === 'jpeg' ? 'jpg' : kind.toLowerCase()}`, { type: `image/${kind}` });
  } catch {
    return null;
  }
}

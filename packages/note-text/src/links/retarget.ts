/**
 * Updates links when their targets move: chooses the new target text and writes it into the note. The form that a
 * person chose is kept; only the target changes, never anchor, alias, embed mark or title.
 */
import type { Edit } from '../diff/diff.ts';
import { fileName, folderOf, foldPath } from '../paths.ts';
import { anchorOffset, unescapeHtml } from '../scan/destination.ts';
import { isUrlForm, type LinkForm, type ParsedLink } from './parsed-link.ts';

/** A link whose target must change. */
export interface Retarget {
  /** Paths of the link's source and target before the move. */
  readonly before: { readonly source: string; readonly target: string };
  /** Paths of both after the move. */
  readonly after: { readonly source: string; readonly target: string };
  readonly form: LinkForm;
  /** The decoded target as written now, without anchor. */
  readonly target: string;
}

/** Decoded link target without anchor, and the form of its link. */
export interface LinkTarget {
  readonly form: LinkForm;
  readonly target: string;
}

/**
 * Returns the targets that a link may get, best first: the form it has (bare name, path from the root, relative path),
 * then longer, less ambiguous ones; for a wikilink, last, those of a markdown link, which can express every path. The
 * caller takes the first that resolves to the intended file.
 *
 * `.md` is kept where it was written, and added only where nothing else tells two files apart (`a.md` and `a.md.md`
 * side by side) and in a markdown link that replaces a wikilink. Attachments always keep their extension.
 */
export function targetChoices(link: Retarget): LinkTarget[] {
  const { form, after } = link;
  const relative = relativePath(folderOf(after.source), after.target);
  const rooted = [after.target, `/${after.target}`];
  const own = [...formChoices(link), fileName(after.target.replace(/\.md$/i, '')), ...rooted, dotted(relative)];
  const choices = [...new Set(own)].filter((target) => canExpress(form, target)).map((target) => ({ form, target }));
  if (form !== 'wikilink') return choices;
  const markdown = [relative, dotted(relative), ...rooted].filter((target) => canExpress('markdown', target));
  return [...choices, ...markdown.map((target) => ({ form: 'markdown' as const, target }))];
}

/**
 * Returns whether a URL leads to a path from its note's folder, as every reader of markdown follows it. One that does
 * not may still resolve by its name, but only here.
 */
export function leadsFromFolder(form: LinkForm, source: string, target: string, path: string): boolean {
  return isUrlForm(form) && isFrom(folderOf(source), target, path);
}

/** Returns whether a link of this form can contain the target at all. */
function canExpress(form: LinkForm, target: string): boolean {
  if (target.trim() !== target) return false;
  return isUrlForm(form) || !/[|#^\n]|\[\[|\]\]|^\[|\]$|^mailto:/i.test(target);
}

function formChoices(link: Retarget): string[] {
  const { before, after } = link;
  const withExtension = /\.md$/i.test(link.target) || !/\.md$/i.test(after.target);
  const shown = withExtension ? after.target : after.target.replace(/\.md$/i, '');
  const bare = fileName(shown);
  const relative = relativePath(folderOf(after.source), shown);
  const segments = link.target.split('/');
  const isDotted = segments[0] === '.' || segments[0] === '..';
  const isFromRoot = segments[0] === '';
  if (isFromRoot) return [`/${shown}`, shown, dotted(relative)];
  const wasRelative = isDotted || (isUrlForm(link.form) && isFrom(folderOf(before.source), link.target, before.target));
  if (segments.length === 1 && !wasRelative) return [bare, shown, `/${shown}`, dotted(relative)];
  if (!wasRelative) return [shown, `/${shown}`, dotted(relative)];
  return [isDotted ? dotted(relative) : relative, dotted(relative), shown, `/${shown}`];
}

/** Returns whether `target`, resolved from `folder`, is the path (with or without `.md`, ignoring case). */
function isFrom(folder: string, target: string, path: string): boolean {
  const walked: string[] = [];
  for (const segment of [...(folder === '' ? [] : folder.split('/')), ...target.split('/')]) {
    if (segment === '..') walked.pop();
    else if (segment !== '.') walked.push(segment);
  }
  const reached = foldPath(walked.join('/'));
  return reached === foldPath(path) || `${reached}.md` === foldPath(path);
}

/** Returns the relative path from a folder to a path: `../b/c`, `c`. */
function relativePath(folder: string, path: string): string {
  const from = folder === '' ? [] : folder.split('/');
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared += 1;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}

function dotted(relative: string): string {
  return relative.startsWith('../') ? relative : `./${relative}`;
}

/** A link, and the target that it should have. */
export interface TargetChange {
  readonly link: ParsedLink;
  readonly to: LinkTarget;
}

/**
 * Returns the edits that write new targets into a note, in text order. A target that the form cannot contain is skipped:
 * its link stays as it is. A definition that several links share is written once. A wikilink whose target has the form of
 * a markdown link becomes one, with the text that it shows and its embed mark.
 */
export function rewriteTargets(content: string, changes: readonly TargetChange[]): Edit[] {
  const edits = new Map<number, Edit>();
  for (const { link, to } of changes) {
    const edit = to.form === link.form ? targetEdit(content, link, to.target) : markdownEdit(content, link, to.target);
    if (edit !== null) edits.set(edit.at, edit);
  }
  return [...edits.values()].sort((a, b) => a.at - b.at);
}

function targetEdit(content: string, link: ParsedLink, target: string): Edit | null {
  const written = encode(content, link, target);
  if (written === null) return null;
  const remove = anchorStart(content.slice(link.targetStart, link.targetEnd), link.form);
  return { at: link.targetStart, remove, insert: written };
}

function markdownEdit(content: string, { start, end, targetStart, ...link }: ParsedLink, target: string): Edit | null {
  if (link.form !== 'wikilink' || !canExpress('markdown', target)) return null;
  const written = content.slice(targetStart, end - 2);
  const pipe = written.indexOf('|');
  const text = written.slice(pipe + 1).trim() || link.target;
  const anchor = link.anchor === null ? '' : `#${encodeDestination(link.anchor, false)}`;
  const destination = `${encodeDestination(target, false)}${anchor}`;
  return { at: start, remove: end - start, insert: `${link.embed ? '!' : ''}[${toLabel(text)}](${destination})` };
}

/** Returns a text as the label of a markdown link, which brackets, code or HTML in it would end or hide. */
export function toLabel(text: string): string {
  return text.replace(/[\\[\]`<$]|&(?=#|[a-z][a-z\d]*;)|%(?=%)/gi, '\\$&');
}

/** Returns the offset of the anchor in a raw target, which is the end of its file part. */
function anchorStart(raw: string, form: LinkForm): number {
  if (form === 'html') return anchorOffset(raw, unescapeHtml);
  if (isUrlForm(form)) return anchorOffset(raw);
  // Before the `#` a wikilink is as typed; in a quoted property a backslash escapes one character.
  return (form === 'property' ? /^(?:\\.|[^#])*/s : /^[^#]*/).exec(raw)?.[0].length ?? 0;
}

function encode(content: string, link: ParsedLink, target: string): string | null {
  if (!canExpress(link.form, target)) return null;
  if (link.form === 'wikilink') return target;
  if (link.form === 'property') return encodeProperty(content, link, target);
  if (link.form === 'html') return encodeSource(content, link, target);
  return encodeDestination(target, content[link.targetStart - 1] === '<');
}

/** @param inAngles whether angle brackets are around the destination, which allow white space and parentheses in it. */
function encodeDestination(target: string, inAngles: boolean): string {
  // An ampersand is encoded only where it would begin a character reference.
  const reserved = inAngles ? /[%#?<>\\\n]|&(?=[a-z][a-z\d]*;)/gi : /[%#?<>\\\s()[\]"'`|*_]|&(?=[a-z][a-z\d]*;)/gi;
  return percentEncode(target, reserved);
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
};

/** Writes a target into the `src` of a tag: percent-encoded as the former one was, and without ending the value. */
function encodeSource(content: string, link: ParsedLink, target: string): string {
  const former = content.slice(link.targetStart, link.targetEnd);
  const quote = /["']\s*$/.exec(content.slice(link.start, link.targetStart));
  const isRaw = quote !== null && !/%[0-9a-f]{2}/i.test(former);
  const written = percentEncode(target, isRaw ? /[%#?\\`|]/g : /[%#?<>\\\s"'`=|]/g);
  return written.replace(/[&"'<>]/g, (character) => HTML_ESCAPES[character] ?? '');
}

function percentEncode(target: string, reserved: RegExp): string {
  const written = target.replace(reserved, (character) => encodeURIComponent(character).replace(/[()'*_]/g, percent));
  // `Plan: B.md` is a file name; without the encoded colon it would read as a URL.
  return written.replace(/^([a-z][a-z\d+.-]*):/i, '$1%3A');
}

/**
 * Percent-encodes a character that `encodeURIComponent` leaves as it is; inside markdown it could end a link or start a
 * style.
 */
function percent(character: string): string {
  return character === '_' ? character : `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Writes a wikilink target into a YAML value; the quotes around it decide which characters need an escape. */
function encodeProperty(content: string, link: ParsedLink, target: string): string | null {
  const before = content.slice(0, link.start);
  const quote = before.trimEnd().at(-1) ?? '';
  if (quote === '"') return target.replace(/["\\]/g, '\\$&');
  if (quote === "'") return target.replaceAll("'", "''");
  // Only a line of a block scalar begins with its link; there, every character stands for itself.
  const startsLine = before.slice(before.lastIndexOf('\n') + 1).trim() === '';
  return !startsLine && /["'\\]/.test(target) ? null : target;
}

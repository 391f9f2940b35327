import { createHash } from 'node:crypto';
import { escapeHtml, openTag, textElement } from '@notevault/note-html/render/html-text.ts';
import { PUBLIC_STYLE } from './page-style.ts';
import { publicTexts, type TextLanguage } from './page-texts.ts';
import type { RenderedPage } from './tasks.ts';

const STYLE_HASH = createHash('sha256').update(PUBLIC_STYLE).digest('base64');

/** The headers of every public page. It runs no script, and as a sandbox it has no origin that it could act for. */
export const PUBLIC_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "img-src 'self'",
    "media-src 'self'",
    `style-src 'sha256-${STYLE_HASH}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    'sandbox allow-forms allow-downloads',
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
};

/** Maximum number of notes that the pages of a folder’s notes list too. */
const NAV_NOTES_MAX = 300;

/** A note that a folder’s pages list. */
export interface TreeNote {
  /** From the folder on. */
  readonly path: string;
  readonly title: string;
  readonly href: string;
  /** Whether its page is the one that is open. */
  readonly isOpen: boolean;
}

export interface Site {
  readonly name: string;
  /** The address of the page of the folder itself. */
  readonly home: string;
  readonly tree: readonly TreeNote[];
}

/** The page of a note, with a way to the others of its folder. */
export function notePage({
  title,
  html,
  isCut,
  words,
  site,
}: RenderedPage & { title: string; site: Site | null }): string {
  const nav = site === null ? '' : navHtml(site);
  const rest = isCut ? '<p class="soft">…</p>' : '';
  return documentOf(title, words, `${nav}<main><h1 dir="auto">${escapeHtml(title)}</h1>${html}${rest}</main>`);
}

/** A folder’s tree above a note, folded; only a link to its page where that would make the note’s page large. */
function navHtml({ name, home, tree }: Site): string {
  const link = `${openTag('a', { href: home, dir: 'auto' })}${escapeHtml(name)}</a>`;
  if (tree.length > NAV_NOTES_MAX) return `<nav>${link}</nav>`;
  return `<nav><details>${textElement('summary', { dir: 'auto' }, name)}<p>${link}</p>${treeHtml(tree)}</details></nav>`;
}

/** The page of a folder: its notes as a tree, and whether there are more. */
export function folderPage({ name, tree }: Site, isCut: boolean, language: TextLanguage): string {
  const { more } = publicTexts[language];
  const rest = isCut ? textElement('p', { class: 'soft', lang: language }, more(tree.length)) : '';
  return documentOf(name, '', `<main><h1 dir="auto">${escapeHtml(name)}</h1>${treeHtml(tree)}${rest}</main>`);
}

/** Notes in the order of their paths, each folder with a heading where it begins. */
function treeHtml(tree: readonly TreeNote[]): string {
  const out: string[] = ['<ul class="tree">'];
  let open: string[] = [];
  for (const { path, title, href, isOpen } of tree) {
    const folders = path.split('/').slice(0, -1);
    let shared = 0;
    while (shared < open.length && open[shared] === folders[shared]) shared += 1;
    out.push('</ul></li>'.repeat(open.length - shared));
    for (const folder of folders.slice(shared))
      out.push(`<li>${textElement('b', { dir: 'auto' }, folder)}<ul class="tree">`);
    open = folders;
    out.push(`<li>${textElement('a', { href, dir: 'auto', 'aria-current': isOpen ? 'page' : null }, title)}</li>`);
  }
  out.push('</ul></li>'.repeat(open.length), '</ul>');
  return out.join('');
}

/** The form for the password of a link: nothing of what it opens. */
export function passwordPage(language: TextLanguage, token: string, fault: 'wrong' | 'later' | 'again' | null): string {
  const t = publicTexts[language];
  const why = fault === null ? '' : textElement('p', { class: 'bad', role: 'alert' }, t[fault]);
  const form = `<form method="post"><input type="hidden" name="token" value="${escapeHtml(token)}"><label for="password">${t.password}</label><input type="password" id="password" name="password" required autofocus autocomplete="off"><button>${t.open}</button></form>`;
  return documentOf(t.locked, '', `<main><h1>${escapeHtml(t.locked)}</h1>${why}${form}</main>`, language);
}

/** The one page for every link that opens nothing. */
export function gonePage(language: TextLanguage): string {
  const { gone, goneText } = publicTexts[language];
  return messagePage(gone, goneText, language);
}

/** The page instead of a note that takes too long to render. */
export function tooCostlyPage(language: TextLanguage): string {
  const { costly, costlyText } = publicTexts[language];
  return messagePage(costly, costlyText, language);
}

function messagePage(heading: string, text: string, language: TextLanguage): string {
  const body = `<main>${textElement('h1', {}, heading)}${textElement('p', {}, text)}</main>`;
  return documentOf(heading, '', body, language);
}

/** @param language that of the text; the language of a note is not known, and BCP 47 calls that `und`. */
function documentOf(title: string, description: string, body: string, language: TextLanguage | 'und' = 'und'): string {
  const meta = (property: string, content: string) => openTag('meta', { property, content });
  const cards = `${meta('og:title', title)}${meta('og:type', 'article')}${meta('og:description', description)}`;
  return `<!DOCTYPE html>
${openTag('html', { lang: language })}
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
${textElement('title', {}, title)}
${cards}${openTag('meta', { name: 'description', content: description })}
<style>${PUBLIC_STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

import { createHash } from 'node:crypto';
import type { PageLanguage } from './page-language.ts';
import { MARK, PAGE_STYLE } from './page-style.ts';
import { pageTexts } from './page-texts.ts';

/** A piece of a page: markup from our templates, with all values in it escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | readonly Html[];

/**
 * Escapes the values of a template, so that no user's text becomes markup; pieces of pages are inserted as they are.
 */
export function html(markup: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(markup.map((text, index) => text + textOf(parts[index] ?? null)).join(''));
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map((piece) => piece.text).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Escapes a value for text and quoted attributes. */
function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '');
}

const STYLE_HASH = createHash('sha256').update(PAGE_STYLE).digest('base64');

export interface Page {
  readonly language: PageLanguage;
  readonly title: string;
  readonly body: Html;
  /** Addresses other than this server to which its forms may lead by redirects, as CSP sources. */
  readonly formTargets?: readonly string[];
}

/** Makes a whole page without script, and headers with a policy that enforces it. */
export function pageOf({ language, title, body, formTargets = [] }: Page): {
  body: string;
  headers: Record<string, string>;
} {
  const document = html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Notevault</title>
<style>${new Html(PAGE_STYLE)}</style>
</head>
<body>
<header>${new Html(MARK)}<span>Notevault</span></header>
<main>
${body}
</main>
</body>
</html>
`;
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${STYLE_HASH}'`,
    // Browsers also apply this to redirects that follow a form.
    `form-action 'self' ${formTargets.join(' ')}`.trim(),
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ];
  return {
    body: document.text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      // With a stricter policy, browsers would send no origin with a form, and the origin is checked.
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    },
  };
}

/** The explanation of an error: a text in the language of the page, or one that exists in English only. */
export type Explanation = string | { readonly english: string } | null;

/** Returns the page that is shown when there is no application to return to. */
export function errorPage(language: PageLanguage, error: string, explanation: Explanation): Page {
  const t = pageTexts[language];
  const text =
    explanation !== null && typeof explanation === 'object'
      ? html`<p lang="en">${explanation.english}</p>`
      : html`<p>${explanation ?? t.unknown}</p>`;
  return {
    language,
    title: t.failed,
    body: html`<h1>${t.failed}</h1>
${text}
<p class="soft">${t.beginAgain} <code>${error}</code></p>`,
  };
}

/** An explained error above a form, which screen readers announce; nothing for null. */
export function faultOf(fault: string | null): Html {
  return fault === null ? html`` : html`<p class="bad" role="alert">${fault}</p>`;
}

import { type PageLanguage, personLanguage } from '../../../../http/pages/page-language.ts';
import { type Html, html } from '../../../../http/pages/pages.ts';
import type { Mail } from '../../../../ports/mail/mail.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';
import type { Letter, MailKind, MailTexts } from './kinds.ts';

const TEXTS: Readonly<Record<PageLanguage, MailTexts>> = { en, de, ja };

/** Renders a mail as text and as HTML that says the same. */
export function renderMail(kind: MailKind, values: Readonly<Record<string, string>>, letter: Letter): Mail {
  const { to, locale, publicUrl } = letter;
  const language = personLanguage(locale, 'en');
  const { subject, paragraphs, button, after = [] } = TEXTS[language][kind];
  const all = { ...values, host: new URL(publicUrl).host };
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)\}/g, (_, name: string) => all[name as keyof typeof all] ?? '');
  const [before, behind] = [paragraphs.map(fill), after.map(fill)];
  const link = values.link ?? publicUrl;
  const text = [...before, ...(button === undefined ? [] : [link]), ...behind].join('\n\n');
  const body = [
    ...before.map(paragraph),
    ...(button === undefined ? [] : [buttonOf(link, fill(button))]),
    ...behind.map(paragraph),
  ];
  return { to, subject: oneLine(fill(subject)), text: `${text}\n`, html: page(language, body).text };
}

const STYLE = {
  body: 'margin:0;padding:24px;background:#f6f4f1;color:#26221e;font:16px/1.6 system-ui,sans-serif',
  card: 'max-width:520px;margin:0 auto;padding:24px;background:#ffffff;border-radius:8px',
  button:
    'display:inline-block;padding:10px 18px;border-radius:6px;background:#096770;color:#fcfcfc;text-decoration:none',
  link: 'font-size:13px;color:#5c5752;word-break:break-all',
};

function page(language: PageLanguage, body: readonly Html[]): Html {
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"></head>
<body style="${STYLE.body}"><div style="${STYLE.card}">
${body}
</div></body></html>
`;
}

const paragraph = (text: string) => html`<p>${text}</p>\n`;

/** With the address in full below it, for programs that show no buttons. */
function buttonOf(link: string, label: string): Html {
  return html`<p><a href="${link}" style="${STYLE.button}">${label}</a></p>
<p style="${STYLE.link}">${link}</p>
`;
}

/** A line break would end the header. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

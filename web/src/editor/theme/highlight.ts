import { HighlightStyle } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { noteTags } from '../syntax/syntax-styles.ts';

/** The marks of markdown, which the source mode shows too. */
export const noteStyle = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName], color: 'var(--faint)' },
  { tag: [tags.link, tags.url, noteTags.wikilink, noteTags.hashtag, noteTags.footnote], color: 'var(--accent-ink)' },
  { tag: tags.monospace, fontFamily: 'var(--font-code)' },
  { tag: noteTags.highlight, backgroundColor: 'var(--highlight)' },
  { tag: [noteTags.math, tags.meta], color: 'var(--muted)' },
]);

/** Code. Few colours, each with a contrast of 4.5 : 1 on the background of code. */
export const codeStyle = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword], color: 'var(--accent-ink)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.escape], color: 'var(--warn)' },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: 'var(--faint)' },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.namespace], color: 'var(--info)' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)], color: 'var(--text)' },
  { tag: tags.function(tags.variableName), fontWeight: '600' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

import { type Tag, tags } from '@lezer/highlight';

/** The kinds of tokens that code is coloured by. Few colours, in the editor and on pages. */
export const CODE_TOKENS = {
  keyword: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.controlKeyword],
  string: [tags.string, tags.regexp, tags.special(tags.string)],
  number: [tags.number, tags.bool, tags.null, tags.atom, tags.escape],
  comment: [tags.comment, tags.lineComment, tags.blockComment],
  type: [tags.typeName, tags.className, tags.tagName, tags.namespace],
  property: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)],
  function: [tags.function(tags.variableName)],
  invalid: [tags.invalid],
} as const satisfies Readonly<Record<string, readonly Tag[]>>;

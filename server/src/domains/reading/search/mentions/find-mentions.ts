import { mentionsIn } from '@notevault/note-text/mentions.ts';
import { contextOf } from '@notevault/search-index/snippets/context.ts';

/** A place where a note mentions another. */
export interface FoundMention {
  readonly start: number;
  readonly text: string;
  readonly context: string;
  readonly contextMention: readonly number[];
}

const MENTIONS_OF_NOTE_MAX = 100;

/** Finds the places where a note has one of some names without a link. */
export function findMentions(content: string, names: readonly string[]): FoundMention[] {
  return mentionsIn(content, names)
    .slice(0, MENTIONS_OF_NOTE_MAX)
    .map((span) => {
      const { context, context_link: contextMention } = contextOf(content, span);
      return { start: span.start, text: content.slice(span.start, span.end), context, contextMention };
    });
}

import { type Finding, lineAt, type Source } from './sources.ts';

const FORBIDDEN = /\/\*\*\s*(?:\* )?(What|Whatever|Whoever|Which|Those|Whose|Who|Has|Have|Had)\b/g;

/** Refuses docstrings that begin with a relative clause instead of a verb or a noun (CONTRIBUTING.md). */
export function checkDocstrings(sources: readonly Source[]): Finding[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(FORBIDDEN)].map((match) => ({
      path,
      line: lineAt(text, match.index),
      rule: 'docstring',
      message: `begins with "${match[1]}": begin with a verb (functions) or a noun (values, types).`,
    })),
  );
}

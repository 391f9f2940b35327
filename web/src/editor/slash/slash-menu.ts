import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { bestMatches } from '@notevault/note-text/names/match.ts';
import { services } from '../core/services.ts';
import { drawn } from '../preview/widget-base.ts';
import { readOpenSlash } from './open-slash.ts';

/** An option of the slash menu, with its icon. */
interface SlashOption extends Completion {
  readonly icon: string;
}

/** Syntax nodes in which a slash opens no menu. */
const LITERAL = /Code|Frontmatter|Math|HTML|Comment|URL/;

/** Completes `/` with what can be inserted there. */
export async function completeSlash(context: CompletionContext): Promise<CompletionResult | null> {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const open = readOpenSlash(line.text.slice(0, pos - line.from));
  const app = state.facet(services);
  if (open === null || app === null || isLiteral(state, pos)) return null;
  const { insertionsAt } = await import('./insertions.ts');
  if (context.aborted) return null;
  const named = insertionsAt(open.place, app).map((insertion) => ({
    name: app.strings.insertions[insertion.name],
    detail: `${insertion.name} ${insertion.words}`,
    insertion,
  }));
  const options = bestMatches(named, open.query).map(
    ({ name, insertion: { icon, run } }): SlashOption => ({
      label: name,
      icon,
      apply(view, completion, from, to) {
        const annotations = pickedCompletion.of(completion);
        view.dispatch({ changes: { from, to }, selection: { anchor: from }, annotations, userEvent: 'input.complete' });
        run(view);
      },
    }),
  );
  return options.length === 0 ? null : { from: line.from + open.from, options, filter: false };
}

/** Creates the icon of an option; null for options of other menus. */
export function optionIcon(option: Completion): Node | null {
  if (!('icon' in option) || typeof option.icon !== 'string') return null;
  const icon = drawn(option.icon);
  icon.classList.add('nv-option-icon');
  return icon;
}

function isLiteral(state: EditorState, pos: number): boolean {
  let node = syntaxTree(state).resolveInner(pos, -1);
  for (; !LITERAL.test(node.name); node = node.parent) if (node.parent === null) return false;
  return true;
}

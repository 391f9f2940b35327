import type { Action, ActionContext } from './action.ts';
import { APP_ACTIONS, isPossible } from './actions.ts';
import { EDITOR_ACTIONS } from './editor-actions.ts';

/** All actions: first those of the app, then those of the editor. */
export const ACTIONS: readonly Action[] = [...APP_ACTIONS, ...EDITOR_ACTIONS];

/** The actions that are possible now. */
export function possibleActions(context: ActionContext): Action[] {
  return ACTIONS.filter((action) =>
    action.command === undefined ? isPossible(action, context) : context.canRunInEditor(action.command),
  );
}

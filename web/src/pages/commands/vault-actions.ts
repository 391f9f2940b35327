import { createContext, useContext } from 'react';
import type { ActionContext } from './action.ts';

/** Actions of keys and palette that a vault's pages may start too. */
export type VaultActions = Pick<ActionContext, 'createNote' | 'openDaily' | 'stepDay' | 'open'>;

export const VaultActionsContext = createContext<VaultActions | null>(null);

export function useVaultActions(): VaultActions {
  const actions = useContext(VaultActionsContext);
  if (actions === null) throw new Error('there is no vault around this page');
  return actions;
}

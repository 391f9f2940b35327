import { ObservableValue } from '../../platform/observable.ts';
import type { KeptVault } from './kept-vault.ts';

/** The vaults that are kept on this device on request, for what shows them. */
export const keptVaults = new ObservableValue<readonly KeptVault[]>([]);

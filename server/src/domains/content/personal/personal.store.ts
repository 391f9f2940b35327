import { statementsOver } from '../../../ports/database/statement.ts';
import type { PersonalTables } from './personal.tables.ts';

const { table } = statementsOver<PersonalTables>();
const preferences = table('preferences');
const opened = table('opened_notes');

export const findPreferences = preferences.find(['user_id'], ['data', 'version']);
export const putPreferences = preferences.put(['user_id'], ['data', 'version']);

export const findOpened = opened.find(['user_id', 'vault_id'], ['data', 'version']);
export const putOpened = opened.put(['user_id', 'vault_id'], ['data', 'version']);
export const deleteOpened = opened.delete('user_id', 'vault_id');

import { statementsOver } from '../../../../ports/database/statement.ts';
import type { AccountsTables } from '../accounts.tables.ts';

const { statement, table, deletion } = statementsOver<AccountsTables>();
const tokens = table('login_tokens');

export const insertToken = tokens.insert('hash', 'user_id', 'page_hash', 'expires_at');

export const findToken = statement((db, p: { hash: Buffer; pageHash: Buffer; now: number }) =>
  db
    .selectFrom('login_tokens')
    .select('user_id')
    .where('hash', '=', p.hash)
    .where('page_hash', '=', p.pageHash)
    .where('expires_at', '>', p.now),
);

/** Changes one row for the first use of a token, and none after that. */
export const deleteToken = tokens.delete('hash');
export const deleteTokensOf = tokens.delete('user_id');
export const deleteExpiredTokens = deletion('login_tokens', 'hash', 'expires_at');

import type { Principal } from '../domains/accounts/accounts.ts';
import type { Finish } from '../domains/idempotency/idempotency.ts';
import type { Writing } from '../domains/notes/notes.ts';
import type { OpenVault } from '../domains/vaults/vaults.ts';

/** In whose name, into which vault and from which device a request writes. */
export function writingOf<Result>(
  call: { readonly vault: OpenVault; readonly principal: Principal; readonly device: string | null },
  finish: Finish<Result>,
): Writing<Result> {
  const { kind, name } = call.principal;
  return { vault: call.vault, actor: { kind, name }, device: call.device, finish };
}

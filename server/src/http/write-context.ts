import type { Principal } from '../domains/accounts/accounts.ts';
import type { InTransaction } from '../domains/idempotency/idempotency.ts';
import type { WriteContext } from '../domains/notes/notes.ts';
import type { OpenVault } from '../domains/vaults/vaults.ts';

/** In whose name, into which vault and from which device a request writes. */
export function writeContextOf<Result>(
  call: { readonly vault: OpenVault; readonly principal: Principal; readonly device: string | null },
  inTransaction: InTransaction<Result>,
): WriteContext<Result> {
  const { kind, name } = call.principal;
  return { vault: call.vault, actor: { kind, name }, device: call.device, inTransaction };
}

/** How many notes of an account have edits on this device that the server has not acknowledged. */
export async function countUnsent(account: string): Promise<number> {
  const { deviceStore } = await import('./device-store.ts');
  const notes = await deviceStore(account)
    .unsentNotes()
    .catch(() => []);
  return notes.length;
}

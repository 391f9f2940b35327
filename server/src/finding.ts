/** One check and its result, in words. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** Whether it is worth a look although nothing is wrong. */
  readonly warning?: boolean;
  readonly says: string;
}

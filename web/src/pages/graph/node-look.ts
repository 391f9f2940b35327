/** What sigma keeps of a node. */
export interface NodeLook {
  x: number;
  y: number;
  size: number;
  label: string;
  /** Of its group; without one, that of all others. */
  color?: string;
}

/** What sigma keeps of a node. */
export interface NodeLook {
  x: number;
  y: number;
  size: number;
  label: string;
}

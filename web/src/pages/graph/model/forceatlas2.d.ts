declare module 'graphology-layout-forceatlas2/iterate.js' {
  /** Moves the nodes by one step; changes `nodes` in place. */
  function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
  export = iterate;
}

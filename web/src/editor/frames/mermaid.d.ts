/** Part of the bundle that a frame uses. The bundle lacks the packages that Mermaid's own types import. */
declare module 'mermaid' {
  interface Config {
    readonly startOnLoad: boolean;
    readonly securityLevel: 'strict';
    readonly theme: 'base';
    readonly themeVariables: Readonly<Record<string, string | boolean>>;
    readonly fontFamily: string;
    readonly maxTextSize: number;
    readonly maxEdges: number;
  }

  const mermaid: {
    initialize(config: Config): void;
    /** Rejects a text that is no diagram. */
    parse(text: string): Promise<unknown>;
    render(id: string, text: string): Promise<{ readonly svg: string }>;
  };

  // biome-ignore lint/style/noDefaultExport: this is how the package exports it
  export { mermaid as default };
}

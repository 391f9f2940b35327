declare module 'opencc-js/dict/TSCharacters' {
  /** Pairs of a traditional character and its simplified forms, separated by `|`. */
  const characters: string;

  // biome-ignore lint/style/noDefaultExport: this is how the package exports it
  export { characters as default };
}

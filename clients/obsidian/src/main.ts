import { Plugin } from 'obsidian';

/** The plugin, as the app loads it: it registers what it does, and nothing else happens before the layout is ready. */
export default class NotevaultPlugin extends Plugin {}

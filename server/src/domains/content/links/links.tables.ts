/** A link of a note, resolved or dangling. Which notes link to which is in clear; the text of the link is sealed. */
export interface LinkRow {
  vault_id: string;
  source_id: string;
  /** The link's position among the links of its note, from 0. */
  ord: number;
  /** The seq at which the note got this link; unchanged while target, anchor and alias stay. Orders backlinks. */
  age: number;
  /**
   * Blind key of the name under which the target is looked up, comparable with `entries.name_key`; null for a link
   * within its own note.
   */
  target_key: Buffer | null;
  /** Blind key of a second possible name of the target: `[[a.md]]` may mean `a.md.md`. */
  other_key: Buffer | null;
  target_note_id: string | null;
  target_attachment_id: string | null;
}

/** The texts of a note's links, together in one sealed value. */
export interface LinkTextsRow {
  vault_id: string;
  source_id: string;
  /** The version of the note from which the links were read. */
  version: number;
  /** Sealed JSON: a list in link order of target, anchor, alias, embed, form. */
  texts: Buffer;
}

/** A name that a canvas refers to. It is resolved only when an entry of that name moves. */
export interface CanvasNameRow {
  vault_id: string;
  attachment_id: string;
  /** Blind key, comparable with `entries.name_key`. */
  name_key: Buffer;
}

/** A name with more links to it than the transaction that changed its entries could resolve again. */
export interface LinkResolutionRow {
  vault_id: string;
  /** Blind key, comparable with `links.target_key` and `links.other_key`. */
  name_key: Buffer;
  /** The column of `links` that is followed: 0 for `target_key`, 1 for `other_key`. */
  is_other: number;
  /** Entries of the name with at least this seq may be unknown to the links that have not been resolved again. */
  since: number;
  /** The last link that was resolved again; the nil UUID before the first. */
  after_source: string;
  after_ord: number;
}

export interface LinksTables {
  links: LinkRow;
  link_texts: LinkTextsRow;
  canvas_names: CanvasNameRow;
  link_resolutions: LinkResolutionRow;
}

export const canvasNamesDdl = `
create table canvas_names (
  vault_id uuid not null,
  attachment_id uuid not null,
  name_key bytea not null,
  primary key (vault_id, attachment_id, name_key),
  foreign key (vault_id, attachment_id) references entries (vault_id, id) on delete cascade
);
create index canvases_by_name on canvas_names (vault_id, name_key, attachment_id);
`;

export const linkResolutionsDdl = `
create table link_resolutions (
  vault_id uuid not null references vaults (id) on delete cascade,
  name_key bytea not null,
  is_other bigint not null,
  since bigint not null,
  after_source uuid not null,
  after_ord bigint not null,
  primary key (vault_id, name_key, is_other)
);
`;

export const linksDdl = `
create table links (
  vault_id uuid not null,
  source_id uuid not null,
  ord bigint not null,
  age bigint not null,
  target_key bytea,
  other_key bytea,
  target_note_id uuid,
  target_attachment_id uuid,
  primary key (vault_id, source_id, ord),
  foreign key (vault_id, source_id) references entries (vault_id, id) on delete cascade
);
create index links_by_target on links (vault_id, target_note_id, age) where target_note_id is not null;
create index links_by_attachment on links (vault_id, target_attachment_id) where target_attachment_id is not null;
create index links_by_key on links (vault_id, target_key, source_id) where target_key is not null;
create index links_by_other_key on links (vault_id, other_key, source_id) where other_key is not null;
create table link_texts (
  vault_id uuid not null,
  source_id uuid not null,
  version bigint not null,
  texts bytea not null,
  primary key (vault_id, source_id),
  foreign key (vault_id, source_id) references entries (vault_id, id) on delete cascade
);
`;

/** A link of a note, resolved or dangling. Which notes link to which stands in clear; what the link says does not. */
export interface LinkRow {
  vault_id: string;
  source_id: string;
  /** The link's place among the links of its note, from 0. */
  ord: number;
  /** The seq at which the note came to have this link; kept while target, anchor and alias stay. Orders backlinks. */
  age: number;
  /** Blind key of the name the target is looked up by, comparable with `entries.name_key`; null for a link into its own note. */
  target_key: Buffer | null;
  /** A second name the target may have: `[[a.md]]` may mean `a.md.md`. */
  other_key: Buffer | null;
  target_note_id: string | null;
  target_attachment_id: string | null;
}

/** The texts of a note's links, together in one sealed value. */
export interface LinkTextsRow {
  vault_id: string;
  source_id: string;
  /** The version of the note the links were taken from. */
  version: number;
  /** Sealed JSON: a list in link order of target, anchor, alias, embed, form. */
  texts: Buffer;
}

export interface LinksTables {
  links: LinkRow;
  link_texts: LinkTextsRow;
}

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

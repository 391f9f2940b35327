import type { Note } from '@notevault/protocol/notes.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { backlinksQuery } from '../../../data/queries.ts';
import { parentOf } from '../../../data/tree/tree-index.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { workspace } from '../../../workspace/workspace.ts';
import { Marked, Mentions } from './mentions.tsx';
import styles from './panels.module.css';

interface LinksProps {
  readonly vaultId: string;
  readonly note: Note;
}

/** The notes that link here, and where the note links to. */
export function Links({ vaultId, note }: LinksProps) {
  const t = useTexts('vault');
  const { data } = useSuspenseQuery(backlinksQuery(vaultId, note.id));
  const sources = [...Map.groupBy(data, (link) => link.source_note_id)];
  const targets = [...new Map(note.links.map((link) => [link.target_note_id ?? link.target_text, link])).values()];
  return (
    <>
      <h3>{t('links.from', { count: sources.length })}</h3>
      {sources.length === 0 ? <p className={styles.none}>{t('links.noneFrom')}</p> : null}
      <ul>
        {sources.map(([id, links]) => (
          <li key={id}>
            <Link
              to="/vaults/$vaultId/notes/$noteId"
              params={{ vaultId, noteId: id }}
              search={{ panel: 'links' }}
              className={styles.link}
            >
              <span dir="auto">{links[0]?.source_title}</span>
              {links[0]?.context == null ? <small>{parentOf(links[0]?.source_path ?? '')}</small> : null}
            </Link>
            {links.map(({ context, context_link: place, offset }) =>
              context == null ? null : (
                <PlaceLink
                  key={offset ?? context}
                  {...{ vaultId, noteId: id, context, place: place ?? null }}
                  offset={offset ?? null}
                />
              ),
            )}
          </li>
        ))}
      </ul>
      <Mentions vaultId={vaultId} noteId={note.id} />
      <h3>{t('links.to', { count: targets.length })}</h3>
      {targets.length === 0 ? <p className={styles.none}>{t('links.noneTo')}</p> : null}
      <ul>
        {targets.map(({ target_note_id: id, target_text, target_path, dangling }) => (
          <li key={id ?? target_text}>
            {id === null ? (
              <span className={styles.link} data-dangling={dangling ? '' : undefined}>
                <span dir="auto">{target_text}</span>
                <small>{dangling ? t('links.dangling') : target_path}</small>
              </span>
            ) : (
              <Link
                to="/vaults/$vaultId/notes/$noteId"
                params={{ vaultId, noteId: id }}
                search={{ panel: 'links' }}
                className={styles.link}
              >
                <span dir="auto">{target_text}</span>
                <small dir="auto">{target_path}</small>
              </Link>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface PlaceLinkProps {
  readonly vaultId: string;
  /** The note that has the text. */
  readonly noteId: string;
  readonly context: string;
  /** Range of the link in the context; null if unknown. */
  readonly place: readonly number[] | null;
  /** Offset of the link in the note. */
  readonly offset: number | null;
}

/** A line of another note, which opens there. */
function PlaceLink({ vaultId, noteId, context, place, offset }: PlaceLinkProps) {
  const [start = 0, end = 0] = place ?? [];
  return (
    <Link
      to="/vaults/$vaultId/notes/$noteId"
      params={{ vaultId, noteId }}
      search={{ panel: 'links' }}
      className={styles.link}
      onClick={() =>
        workspace.note(noteId).wantPlace({ excerpt: context, start, end, ...(offset === null ? {} : { offset }) })
      }
    >
      <Marked text={context} places={place === null ? [] : [place]} />
    </Link>
  );
}

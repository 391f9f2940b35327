import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';

/** An SQL text that is written once, compiled once per engine, and run with named values. */
export interface Statement<Params, Row> {
  /** The text for an engine and the source of its values, in order. Compiled at first use. */
  compiled(engine: Engine): Compiled;
  /** Carries only types; never set. */
  readonly types?: { params: Params; row: Row };
}

/** A statement over a list of items, compiled once for each of the sizes that `listSizes` gives. */
export interface ListStatement<Params, Item, Row> {
  compiled(engine: Engine, size: number): Compiled;
  readonly types?: { params: Params; item: Item; row: Row };
}

export type Engine = 'sqlite' | 'postgres';

export interface Compiled {
  readonly sql: string;
  /** Whether it is a select, which writes nothing. */
  readonly isSelect: boolean;
  /** Returns the values to bind, in the order of the text's placeholders. */
  bind(params: object, items: readonly unknown[]): unknown[];
}

/** Lists up to this length are one statement; most lists of a note (links, aliases, parent folders) are shorter. */
const WHOLE_MAX = 32;
/** The sizes into which longer lists are cut first. */
const LONG_SIZES = [128, 64] as const;

/** The sizes into which a list of `count` items is cut: few different ones, so that each statement is prepared once. */
export function listSizes(count: number): number[] {
  if (count <= WHOLE_MAX) return count > 0 ? [count] : [];
  const size = LONG_SIZES.find((long) => long <= count) ?? WHOLE_MAX;
  const sizes = Array.from({ length: Math.floor(count / size) }, () => size);
  return [...sizes, ...listSizes(count % size)];
}

const ITEM = Symbol('item');
const FIELD = Symbol('field');

/** Represents in a query a value that is bound later: a named parameter, or an item of the list (or a field of it). */
class Placeholder {
  readonly [ITEM]: number | null;
  readonly [FIELD]: string | null;
  constructor(item: number | null, field: string | null) {
    this[ITEM] = item;
    this[FIELD] = field;
  }
}

type Build<Tables, Params, Row> = (db: Kysely<Tables>, p: Params) => Compilable<Row>;
type BuildList<Tables, Params, Item, Row> = (db: Kysely<Tables>, p: Params, items: Item[]) => Compilable<Row>;
interface Compilable<Row> {
  compile(): CompiledQuery<Row>;
}

/** One for all tables, which the type alone tells apart: making one takes half a millisecond. */
const engines = {
  sqlite: new Kysely<unknown>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  postgres: new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  }),
};

/** Returns the statement makers of a domain, over the tables it may use. */
export function statementsOver<Tables>() {
  /** A statement with named parameters: `statement((db, p: { id: NoteId }) => db.selectFrom(…).where('id', '=', p.id))`. */
  function statement<Params extends object, Row>(build: Build<Tables, Params, Row>): Statement<Params, Row> {
    const done = new Map<Engine, Compiled>();
    return {
      compiled(engine) {
        let compiled = done.get(engine);
        if (compiled === undefined) {
          compiled = compile(build(engines[engine] as Kysely<Tables>, fieldsOf(null) as Params).compile());
          done.set(engine, compiled);
        }
        return compiled;
      },
    };
  }

  /**
   * A statement over a list. `items` are plain values (`where('id', 'in', items)`) or objects whose fields are used
   * (`values(items.map((item) => ({ id: item.id, … })))`).
   */
  function listStatement<Params extends object, Item, Row>(
    build: BuildList<Tables, Params, Item, Row>,
  ): ListStatement<Params, Item, Row> {
    const done = new Map<string, Compiled>();
    return {
      compiled(engine, size) {
        const key = `${engine}:${size}`;
        let compiled = done.get(key);
        if (compiled === undefined) {
          const items = Array.from({ length: size }, (_, index) => fieldsOf(index) as Item);
          compiled = compile(build(engines[engine] as Kysely<Tables>, fieldsOf(null) as Params, items).compile());
          done.set(key, compiled);
        }
        return compiled;
      },
    };
  }

  const untyped = (db: Kysely<Tables>) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

  /** Plain statements over one table, whose parameters have the names of its columns. */
  function table<Name extends keyof Tables & string>(name: Name) {
    type Row = Tables[Name];
    type Column = keyof Row & string;
    /** The columns of a condition, without null, which equals nothing in SQL. */
    type Given<C extends Column> = { [Field in C]: NonNullable<Row[Field]> };
    const source: string = name;
    return {
      insert: <C extends Column>(...columns: C[]) =>
        statement<Pick<Row, C>, unknown>((db, p) => untyped(db).insertInto(source).values(picked(p, columns))),
      /** Inserts rows that have the values of `shared` in common. */
      insertMany: <S extends Column, C extends Column>(shared: readonly S[], columns: readonly C[]) =>
        listStatement<Pick<Row, S>, Pick<Row, C>, unknown>((db, p, rows) =>
          untyped(db)
            .insertInto(source)
            .values(rows.map((row) => ({ ...picked(p, shared), ...picked(row, columns) }))),
        ),
      /** Inserts a row, or changes the one that has its key. */
      put: <K extends Column, C extends Column>(key: readonly K[], columns: readonly C[]) =>
        statement<Given<K> & Pick<Row, C>, unknown>((db, p) =>
          untyped(db)
            .insertInto(source)
            .values({ ...picked(p, key), ...picked(p, columns) })
            .onConflict((conflict) => conflict.columns(key).doUpdateSet(excluded<string>(...columns))),
        ),
      find: <K extends Column, C extends Column>(key: readonly K[], columns: readonly C[]) =>
        statement<Given<K>, Pick<Row, C>>((db, p) =>
          untyped(db)
            .selectFrom(source)
            .select<string>(columns)
            .where(({ and }) => and(picked(p, key)))
            .$castTo<Pick<Row, C>>(),
        ),
      /** Finds the rows with each of some values in the column `of`. */
      findMany: <K extends Column, L extends Column, C extends Column>(
        key: readonly K[],
        of: L,
        columns: readonly C[],
      ) =>
        listStatement<Given<K>, NonNullable<Row[L]>, Pick<Row, C>>((db, p, values) =>
          untyped(db)
            .selectFrom(source)
            .select<string>(columns)
            .where(({ and }) => and(picked(p, key)))
            .where(sql.ref(of), 'in', values)
            .$castTo<Pick<Row, C>>(),
        ),
      /** Deletes rows by at least one column: without any it would delete all rows. */
      delete: <K extends Column>(...key: readonly [K, ...K[]]) =>
        statement<Given<K>, unknown>((db, p) =>
          untyped(db)
            .deleteFrom(source)
            .where(({ and }) => and(picked(p, key))),
        ),
      /** Deletes some of the rows, which `id` tells apart. */
      deleteSome: <K extends Column>(key: readonly K[], id: Column) =>
        statement<Given<K> & { readonly limit: number }, unknown>((db, p) => {
          const some = untyped(db)
            .selectFrom(source)
            .select<string>(id)
            .where(({ and }) => and(picked(p, key)))
            .limit(p.limit);
          return untyped(db)
            .deleteFrom(source)
            .where(({ and }) => and(picked(p, key)))
            .where(sql.ref(id), 'in', some);
        }),
      /** Deletes the rows with each of some values in the column `of`. */
      deleteMany: <K extends Column, L extends Column>(key: readonly K[], of: L) =>
        listStatement<Given<K>, NonNullable<Row[L]>, unknown>((db, p, values) =>
          untyped(db)
            .deleteFrom(source)
            .where(({ and }) => and(picked(p, key)))
            .where(sql.ref(of), 'in', values),
        ),
    };
  }

  /** Deletes some expired rows of a table, the oldest first; see `deleteUntil`. */
  function deletion<Table extends keyof Tables & string>(
    ...columns: readonly [table: Table, key: keyof Tables[Table] & string, time: keyof Tables[Table] & string]
  ): Deletion {
    const [table, key, time]: readonly [string, string, string] = columns;
    return statement((db, p) => {
      const due = untyped(db).selectFrom(table).select(key).where(time, '<=', p.until).orderBy(time).limit(p.limit);
      return untyped(db).deleteFrom(table).where(key, 'in', due);
    });
  }

  return { statement, listStatement, table, deletion };
}

export type Deletion = Statement<{ readonly until: number; readonly limit: number }, unknown>;

/** Returns the assignments for `doUpdateSet` that give columns the values of the row that could not be inserted. */
export function excluded<Column extends string>(...columns: readonly Column[]) {
  const values = columns.map((column) => [column, sql.ref(`excluded.${column}`)]);
  return Object.fromEntries(values) as Record<Column, RawBuilder<never>>;
}

/** Some fields of a statement's parameters, or of an item, as columns of the same names. */
export function picked<Params extends object, Column extends keyof Params & string>(
  params: Params,
  columns: readonly Column[],
): Pick<Params, Column> {
  return Object.fromEntries(columns.map((column) => [column, params[column]])) as Pick<Params, Column>;
}

/** A placeholder each of whose fields is a placeholder too: used as a whole for a plain list item, or by field. */
function fieldsOf(item: number | null): object {
  return new Proxy(new Placeholder(item, null), {
    get(target, field) {
      if (field === ITEM) return target[ITEM];
      if (field === FIELD) return target[FIELD];
      // Kysely probes values for symbols, `then` and node builders; only other field names become placeholders.
      if (typeof field !== 'string' || PROBED.has(field)) return undefined;
      return new Placeholder(item, field);
    },
  });
}

const PROBED = new Set(['toOperationNode', 'isRawBuilder', 'expressionType', 'then', 'toJSON', 'constructor']);

function compile(query: CompiledQuery): Compiled {
  const sources = [...query.parameters];
  return {
    sql: query.sql,
    isSelect: query.query.kind === 'SelectQueryNode',
    bind(params, items) {
      const values: unknown[] = new Array(sources.length);
      for (let index = 0; index < sources.length; index++) {
        const source = sources[index];
        values[index] = source instanceof Placeholder ? boundValue(source, params, items) : source;
      }
      return values;
    },
  };
}

function boundValue(source: Placeholder, params: object, items: readonly unknown[]): unknown {
  const item = source[ITEM];
  const field = source[FIELD];
  const holder = item === null ? params : items[item];
  return field === null ? holder : (holder as Record<string, unknown>)[field];
}

export type Bindable = null | number | string | Uint8Array;

/**
 * Returns the values that a statement binds. Throws TypeError for those that the engines would store differently: NaN,
 * undefined, text with NUL, booleans, objects.
 */
export function valuesOf(compiled: Compiled, params: unknown, items: readonly unknown[]): Bindable[] {
  const values = compiled.bind(params as object, items);
  for (let index = 0; index < values.length; index++) {
    if (!isBindable(values[index])) {
      throw new TypeError(`value ${index + 1} of a statement is ${kindOf(values[index])}: ${compiled.sql}`);
    }
  }
  return values as Bindable[];
}

function isBindable(value: unknown): value is Bindable {
  if (typeof value === 'string') return !value.includes('\0');
  if (typeof value === 'number') return !Number.isNaN(value);
  return value === null || value instanceof Uint8Array;
}

/** Names the type and never the value, which may be somebody's text. */
function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text with a NUL character';
  if (typeof value === 'number') return 'not a number';
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

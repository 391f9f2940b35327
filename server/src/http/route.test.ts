import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { idempotentRoute, route } from './route.ts';

const Thing = Type.Object({ id: Type.String(), tags: Type.Array(Type.String()) });
const thing = { id: 'a', tags: ['x'] } as const;
const base = { path: '/things', summary: 'Things' } as const;

// What must not compile is checked by `npm run check`: an unused directive is an error there.
test('route and idempotentRoute accept only bodies that one of their schemas describes', () => {
  const get = { ...base, operation: 'listSessions', method: 'GET', responses: { 200: Thing, 204: null } } as const;
  const post = { ...base, operation: 'createPat', responses: { 201: Thing }, perform: async () => thing } as const;
  const declared = [
    route({ ...get, handle: async () => ({ body: thing }) }),
    route({ ...get, handle: async () => ({ status: 204 }) }),
    // @ts-expect-error a field is missing
    route({ ...get, handle: async () => ({ body: { id: 'a' } }) }),
    // @ts-expect-error a field is of another type
    route({ ...get, handle: async () => ({ body: { ...thing, tags: 'x' } }) }),
    idempotentRoute({ ...post, reply: (body) => ({ body }) }),
    // @ts-expect-error the whole body is another
    idempotentRoute({ ...post, reply: (body) => ({ body: { thing: body } }) }),
  ];
  assert.deepEqual(
    declared.map(({ path }) => path),
    declared.map(() => '/things'),
  );
});

import type { VaultId } from '@notevault/protocol/values/ids.ts';
import * as schema from '@notevault/protocol/vaults.ts';
import { idempotentRoute, type Route, route } from '../../../http/route.ts';
import { sharedVaultView, storageView, vaultsView, vaultView } from './vaults.mapper.ts';
import type { Vaults } from './vaults.ts';

export function vaultsRoutes(vaults: Vaults): Route[] {
  return [...userRoutes(vaults), ...vaultRoutes(vaults), ...lifecycleRoutes(vaults)];
}

function userRoutes(vaults: Vaults): Route[] {
  return [
    route({
      method: 'GET',
      path: '/vaults',
      operation: 'listVaults',
      summary: 'The vaults that the credential can access',
      query: schema.VaultsQuery,
      responses: { 200: schema.VaultsResponse },
      errors: ['vault_unreadable'],
      handle: async ({ principal, query }) => ({ body: vaultsView(await vaults.overview(principal, query)) }),
    }),
    route({
      method: 'GET',
      path: '/user/storage',
      operation: 'getStorage',
      summary: 'The usage of the account, and the limits of its plan',
      responses: { 200: schema.StorageResponse },
      handle: async ({ principal }) => ({ body: storageView(await vaults.storage(principal)) }),
    }),
    idempotentRoute({
      path: '/vaults',
      operation: 'createVault',
      summary: 'Create a vault',
      body: schema.NewVaultBody,
      responses: { 201: schema.VaultResponse },
      errors: ['limit_exceeded', 'insufficient_access'],
      perform: ({ principal, body }, inTransaction) => vaults.create(principal, body, inTransaction),
      reply: (vault) => ({ body: { vault: vaultView(vault) } }),
      recheck: ({ principal }) => vaults.checkMayCreate(principal),
    }),
    idempotentRoute({
      path: '/vaults/register',
      operation: 'registerVault',
      summary: 'The vault with an id that the client chose; created if there is none',
      body: schema.RegisterVaultBody,
      responses: { 200: schema.RegisterVaultResponse, 201: schema.RegisterVaultResponse },
      errors: ['vault_unreadable', 'register_params', 'limit_exceeded', 'insufficient_access'],
      perform: ({ principal, body }, inTransaction) => vaults.register(principal, body ?? {}, inTransaction),
      reply: ({ vault, status }) => ({
        status: status === 'created' ? 201 : 200,
        body: { ...vaultView(vault), status },
      }),
      recheck: ({ principal }, body) => vaults.checkMayAdopt(principal, (body as { id: VaultId }).id),
    }),
  ];
}

function vaultRoutes(vaults: Vaults): Route[] {
  return [
    route({
      method: 'GET',
      path: '/vaults/:id',
      operation: 'getVault',
      summary: 'Open a vault',
      params: schema.VaultParams,
      responses: { 200: schema.VaultResponse },
      errors: ['vault_unreadable', 'vault_not_found'],
      handle: async ({ principal, params }) => ({
        body: { vault: sharedVaultView(await vaults.get(principal, params.id)) },
      }),
    }),
    route({
      method: 'PATCH',
      path: '/vaults/:id',
      operation: 'updateVault',
      summary: 'Rename or describe a vault, or make it the default',
      params: schema.VaultParams,
      body: schema.UpdateVaultBody,
      responses: { 200: schema.VaultResponse },
      errors: ['vault_unreadable', 'vault_not_found', 'insufficient_access', 'owner_required'],
      handle: async ({ principal, params, body }) => ({
        body: { vault: vaultView(await vaults.update(principal, params.id, body)) },
      }),
    }),
    route({
      method: 'DELETE',
      path: '/vaults/:id',
      operation: 'deleteVault',
      summary: 'Delete a vault; it can be restored for 30 days',
      params: schema.VaultParams,
      responses: { 200: schema.VaultDeleted },
      errors: ['vault_not_found', 'insufficient_access', 'owner_required'],
      handle: async ({ principal, params }) => ({
        body: { deleted: true, id: await vaults.remove(principal, params.id) },
      }),
    }),
  ];
}

function lifecycleRoutes(vaults: Vaults): Route[] {
  return [
    idempotentRoute({
      path: '/vaults/:id/restore',
      operation: 'restoreVault',
      summary: 'Restore a deleted vault',
      params: schema.VaultParams,
      responses: { 200: schema.VaultResponse },
      errors: ['vault_unreadable', 'vault_not_found', 'limit_exceeded', 'owner_required'],
      perform: ({ principal, params }, inTransaction) => vaults.restore(principal, params.id, inTransaction),
      reply: (vault) => ({ body: { vault: vaultView(vault) } }),
    }),
    idempotentRoute({
      path: '/vaults/:id/purge',
      operation: 'purgeVault',
      summary: 'Erase a deleted vault permanently',
      params: schema.VaultParams,
      responses: { 200: schema.VaultPurged },
      errors: ['vault_not_found', 'owner_required'],
      perform: ({ principal, params }, inTransaction) => vaults.purge(principal, params.id, inTransaction),
      reply: (id) => ({ body: { purged: true, id } }),
    }),
  ];
}

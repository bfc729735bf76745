import type { Pool } from 'pg';
import { ConfigError } from '../../runtime/config/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { repeatUntilDone } from '../../runtime/sweepers/index.ts';
import { type Grants, grantStates, readGrants } from './grants.ts';

const RETRY_MS = 2_000;
const MAX_TOLD = 5;

/**
 * Ends the process with a ConfigError if its role lacks privileges, once the database responds. Excess privileges are
 * logged; missing tables are reported by the readiness check.
 */
export function checkGrants(process: ServiceProcess, pool: Pool, serviceDir: URL): void {
  const grants = readGrants(serviceDir);
  void repeatUntilDone(process, RETRY_MS, () =>
    judge(process, pool, grants).then(
      () => true,
      (err: unknown) => {
        // The readiness check reports that the database is unavailable.
        process.log.debug({ err }, 'database role not checked yet');
        return false;
      },
    ),
  );
}

async function judge(process: ServiceProcess, pool: Pool, grants: Grants): Promise<void> {
  const { rows } = await pool.query<{ role: string }>('SELECT current_user AS role');
  const role = rows[0]?.role ?? '';
  const states = await grantStates(pool, grants, role);
  const lacking = states.filter(({ state }) => state === 'lacking');
  if (lacking.length > 0) {
    const needs = lacking.slice(0, MAX_TOLD).map(({ table }) => `${grants[table]} on ${table}`);
    const more = lacking.length > MAX_TOLD ? ` and ${lacking.length - MAX_TOLD} more` : '';
    process.fail(
      new ConfigError(
        `the database role ${role} needs ${needs.join('; ')}${more}: run the migrate command as the owner with SSS_RUNTIME_ROLE=${role}`,
      ),
    );
  } else if (states.some(({ state }) => state === 'excess')) {
    process.log.info({ role }, 'database role has more privileges than the service needs');
  }
}

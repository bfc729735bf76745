import { failureReason } from '../../runtime/log/index.ts';
import { NotReady } from '../../runtime/service-runtime/index.ts';
import { isUnavailable } from './is-unavailable.ts';

const MIGRATE = 'run `helm upgrade` (without Helm, the migrate command of this version)';

/** Explains why a database cannot be used, with the error's code. Quotes only database and role names. */
export function explained(error: unknown, databaseUrl: string): NotReady {
  if (error instanceof NotReady) return error;
  const { code } = error as { readonly code?: unknown };
  return new NotReady(sentence(error, code, databaseUrl), { cause: error, code });
}

/** Returns the error for a database that lacks migrations of this version. `names` lists them in order. */
export function lacking(names: readonly string[], databaseUrl: string): NotReady {
  const [first = '', ...more] = names;
  const others = more.length > 0 ? ` and ${more.length} more` : '';
  return new NotReady(
    `database ${databaseOf(databaseUrl)} lacks the migration ${first}${others}: ${MIGRATE}`,
  );
}

function sentence(error: unknown, code: unknown, databaseUrl: string): string {
  const database = databaseOf(databaseUrl);
  switch (code) {
    case '42P01':
      return `database ${database} has no schema: ${MIGRATE}`;
    case '42501':
      // The migrate command admits the role: a database without a schema refuses the connection.
      return `database ${database} has no schema: ${MIGRATE}, which also grants access to the role ${roleOf(databaseUrl)}`;
    case '3D000':
      return `there is no database ${database}: create it, then run \`helm upgrade\``;
    case '28P01':
    case '28000':
      return `database ${database} rejected the role ${roleOf(databaseUrl)}: check its password and certificate`;
    case '25006':
      return `database ${database} is read-only: its server is a standby, or was demoted`;
    default:
      return isUnavailable(error)
        ? `database ${database} is not responding (${typeof code === 'string' ? code : 'timeout'})`
        : `database ${database} cannot be used: ${failureReason(error)}`;
  }
}

const databaseOf = (url: string) => `"${decodeURIComponent(new URL(url).pathname.slice(1))}"`;
const roleOf = (url: string) => `"${decodeURIComponent(new URL(url).username)}"`;

import { timestampDate } from '@bufbuild/protobuf/wkt';
import { type Account, AccountService, type Credential } from '@supplier/proto/account/v1/account';
import { ScopeSchema } from '@supplier/proto/common/v1/principal';
import { useQuery } from '@tanstack/react-query';
import { useBegun } from '../acts/begun.ts';
import { IssueCredentialAct, RevokeCredentialAct } from '../acts/credential-acts.tsx';
import { accounts, mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { flagOf, timeOf } from '../words.ts';
import { EnvironmentMark } from './marks.tsx';
import { Part } from './part.tsx';

/** The credentials of a supplier, without their secrets. */
export function CredentialsPart({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const { roles } = useSession();
  const query = useQuery({
    queryKey: ['credentials', accountId],
    queryFn: ({ signal }) => accounts.listCredentials({ accountId }, { signal }),
  });
  return (
    <Part title="Credentials" query={query}>
      {({ credentials }) => (
        <>
          {credentials.length === 0 ? (
            <p>It has none.</p>
          ) : (
            <ul>
              {credentials.map((credential) => (
                <Entry key={credential.credentialId} credential={credential} />
              ))}
            </ul>
          )}
          {mayCall(roles, AccountService.method.issueCredential) ? (
            <fieldset className="acts">
              <legend>What you can do</legend>
              <IssueCredentialAct account={account} />
            </fieldset>
          ) : null}
        </>
      )}
    </Part>
  );
}

function Entry({ credential: present }: { readonly credential: Credential }) {
  const { roles } = useSession();
  const [credential, onOpen] = useBegun(present);
  const canRevoke = !credential.revokedAt && mayCall(roles, AccountService.method.revokeCredential);
  const scopes = present.scopes.map((scope) => flagOf(ScopeSchema, scope)).join(', ');
  return (
    <li>
      <strong>{present.publicId}</strong> <EnvironmentMark environment={present.environment} /> for {scopes};
      created {timeOf(present.createdAt)}, {endOf(present)}{' '}
      {canRevoke ? <RevokeCredentialAct credential={credential} onOpen={onOpen} /> : null}
    </li>
  );
}

function endOf({ revokedAt, expiresAt }: Credential): string {
  if (revokedAt) return `revoked ${timeOf(revokedAt)}`;
  if (!expiresAt) return 'does not expire';
  return `${timestampDate(expiresAt).getTime() <= Date.now() ? 'expired' : 'expires'} ${timeOf(expiresAt)}`;
}

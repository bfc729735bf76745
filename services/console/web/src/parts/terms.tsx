import type { Account } from '@supplier/proto/account/v1/account';
import { ACCOUNT_SETTINGS, accountJson } from '../actions/change-account.tsx';
import { SettingsFacts } from './settings-fields.tsx';

/** The present permissions, terms and limits of an account, in groups. */
export function TermsFacts({ account }: { readonly account: Account }) {
  const json = accountJson(account);
  const groups = [...Map.groupBy(ACCOUNT_SETTINGS, ({ group }) => group)];
  return (
    <div className="groups">
      {groups.map(([group, settings]) => (
        <section key={group}>
          <h3>{group}</h3>
          <SettingsFacts settings={settings} json={json} />
        </section>
      ))}
    </div>
  );
}

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button, NativeSelect } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { PolicyKind, type PolicyRule } from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { errorMessage, policies } from '../calls.ts';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { formatTime } from '../format.ts';

const DAY_MS = 86_400_000;
const SINCE_DAYS = [1, 7, 30];

interface RulesProps {
  readonly kind: PolicyKind;
  readonly rules: readonly PolicyRule[];
}

/** The rules of a policy in evaluation order, and how many submissions each has decided. */
export function PolicyRules({ kind, rules }: RulesProps) {
  const [days, setDays] = useState(7);
  const isDecision = kind === PolicyKind.DECISION;
  const heads = ['order', 'rule', 'if', isDecision ? 'decision' : 'category of return'];
  return (
    <>
      <div className="filters">
        <NativeSelect
          size="xs"
          label="Matches since"
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {SINCE_DAYS.map((some) => (
            <option key={some} value={some}>
              {some === 1 ? 'yesterday' : `${some} days ago`}
            </option>
          ))}
        </NativeSelect>
      </div>
      <ScrollRegion className="rules" label="Rules in order">
        <table className="table" aria-label="Rules">
          <thead>
            <tr>
              {[...heads, ...(isDecision ? ['reason'] : []), 'effect'].map((head) => (
                <th scope="col" key={head}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rules.map(({ rule, condition, outcome, reason }, place) => (
              <tr key={rule}>
                <td>{place + 1}</td>
                <th scope="row">{visible(rule)}</th>
                <td>
                  <code>{visible(condition)}</code>
                </td>
                <td>{visible(outcome)}</td>
                {isDecision ? <td>{visible(reason)}</td> : null}
                <td>
                  <RuleEffect key={days} rule={rule} kind={kind} days={days} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </>
  );
}

interface EffectProps {
  readonly rule: string;
  readonly kind: PolicyKind;
  readonly days: number;
}

/** Shows how many of the latest submissions a rule decided, across policy versions. Loaded on click. */
function RuleEffect({ rule, kind, days }: EffectProps) {
  const [isAsked, ask] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: ['rule-effect', kind, rule, days],
    queryFn: ({ signal }) =>
      policies.getRuleEffect(
        {
          rule,
          preUnderwriting: kind === PolicyKind.PRE_UNDERWRITING,
          since: timestampFromDate(new Date(Date.now() - days * DAY_MS)),
        },
        { signal },
      ),
    enabled: isAsked,
    refetchInterval: false,
    refetchOnWindowFocus: false,
  });
  if (error) return <span role="alert">{errorMessage(error)}</span>;
  if (!data)
    return (
      <Button
        size="xs"
        aria-label={`Show the effect of ${rule}`}
        loading={isFetching}
        onClick={() => ask(true)}
      >
        Show
      </Button>
    );
  const versions = data.versions.map(({ version, decided }) => `${visible(version)}: ${decided}`);
  return (
    <span role="status">
      {String(data.decided)} of {String(data.lookedAt)}
      {data.complete ? '' : `, the latest, back to ${formatTime(data.lookedBackTo)}`}
      {versions.length > 0 ? ` (${versions.join(', ')})` : ''}
    </span>
  );
}

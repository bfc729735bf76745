import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { PolicyKind, PolicyService, type PolicyViolation } from '@supplier/proto/submission/v1/policies';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { mayCall, policies, violationsOf } from '../../calls.ts';
import { LoadError } from '../../components/load-error.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { formatJson } from '../../format.ts';
import { useSession } from '../../session.ts';
import { DryRun } from './dry-run.tsx';
import { POLICY } from './policy-texts.ts';
import { StorePolicyAction } from './store-policy.tsx';

interface DraftProps {
  readonly kind: PolicyKind;
  /** The text to start from. */
  readonly text: string;
}

/** Edits the text of a version, validates it, runs it against past decisions, and stores it as a new version. */
export function PolicyDraft({ kind, text: stored }: DraftProps) {
  const { roles } = useSession();
  const [text, setText] = useState(() => formatJson(stored));
  const check = useMutation({ mutationFn: () => policies.validatePolicy({ kind, text }) });
  const { validatePolicy, dryRunPolicy } = PolicyService.method;
  const isAllowed = mayCall(roles, validatePolicy);
  if (!isAllowed) return <Text c="dimmed">{POLICY.noEdit}</Text>;
  return (
    <Stack gap="md">
      <PanelFrame
        title={POLICY.draft}
        actions={
          <>
            <Button loading={check.isPending} disabled={text === ''} onClick={() => check.mutate()}>
              {POLICY.validate}
            </Button>
            <StorePolicyAction kind={kind} text={text} />
          </>
        }
      >
        <Textarea
          label={POLICY.draftText}
          description={POLICY.draftHelp}
          classNames={{ input: 'mono' }}
          rows={18}
          spellCheck={false}
          value={text}
          error={check.error ? violationsOf(check.error).get('text') : faultOf(text)}
          onChange={(event) => {
            setText(event.currentTarget.value);
            check.reset();
          }}
        />
        {check.error ? <LoadError error={check.error} onRetry={() => check.mutate()} /> : null}
        {check.data ? <Violations violations={check.data.violations} /> : null}
      </PanelFrame>
      {kind === PolicyKind.DECISION && mayCall(roles, dryRunPolicy) ? <DryRun text={text} /> : null}
    </Stack>
  );
}

/** Returns what is wrong while the text is being typed. The service checks the rules. */
function faultOf(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return POLICY.notJson;
  }
}

const Violations = ({ violations }: { readonly violations: readonly PolicyViolation[] }) => (
  <Alert color={violations.length === 0 ? 'green' : 'red'} role="status" mt="sm">
    {violations.length === 0 ? (
      POLICY.valid
    ) : (
      <Group gap={4} align="start">
        {POLICY.invalid}
        <ul aria-label={POLICY.errors}>
          {violations.map(({ rule, place, message }) => (
            <li key={`${place} ${message}`}>
              {rule === '' ? null : <strong>{visible(rule)}</strong>} {visible(place)}: {visible(message)}
            </li>
          ))}
        </ul>
      </Group>
    )}
  </Alert>
);

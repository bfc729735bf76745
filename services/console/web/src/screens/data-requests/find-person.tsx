import { Alert, Button, Group, SimpleGrid, Text } from '@mantine/core';
import { TextField } from '../../components/fields.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeField } from '../../components/purpose-field.tsx';
import { withNoun } from '../../format.ts';
import type { PersonSearch } from './use-person-search.ts';

interface FindPanelProps {
  readonly search: PersonSearch;
  /** Number of submissions selected before. */
  readonly count: number;
  readonly onFind: () => void;
  readonly onContinue: () => void;
}

/** The search for an applicant. */
export const FindPanel = ({ search, count, onFind, onContinue }: FindPanelProps) => (
  <PanelFrame title="Find applicant">
    <Text size="sm" c="dimmed" mb="sm">
      Search by email, telephone or both. What you enter is never stored.
    </Text>
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (search.isReady) onFind();
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={0}>
        <TextField
          path="email"
          label="Email"
          value={search.email}
          maxLength={320}
          onChange={search.setEmail}
          autoComplete="off"
        />
        <TextField
          path="telephone"
          label="Telephone"
          value={search.telephone}
          maxLength={40}
          onChange={search.setTelephone}
          autoComplete="off"
        />
      </SimpleGrid>
      <PurposeField value={search.purpose} onChange={search.setPurpose} />
      {search.found.refusal === undefined ? null : (
        <Alert color="red" mb="sm">
          {search.found.refusal}
        </Alert>
      )}
      <Group gap="xs">
        <Button type="submit" variant="filled" disabled={!search.isReady} loading={search.found.isAsking}>
          Find applicant
        </Button>
        {count > 0 ? (
          <Button onClick={onContinue}>{`Continue with ${withNoun(count, 'submission')}`}</Button>
        ) : null}
      </Group>
    </form>
  </PanelFrame>
);

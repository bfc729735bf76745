import { Alert, Button, Group, SimpleGrid, Text } from '@mantine/core';
import { TextField } from '../../components/fields.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeField } from '../../components/purpose-field.tsx';
import { withNoun } from '../../format.ts';
import { DATA_REQUESTS } from './data-requests-texts.ts';
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
  <PanelFrame title={DATA_REQUESTS.find}>
    <Text size="sm" c="dimmed" mb="sm">
      {DATA_REQUESTS.findHint}
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
          label={DATA_REQUESTS.email}
          value={search.email}
          maxLength={320}
          onChange={search.setEmail}
          autoComplete="off"
        />
        <TextField
          path="telephone"
          label={DATA_REQUESTS.telephone}
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
          {DATA_REQUESTS.find}
        </Button>
        {count > 0 ? (
          <Button onClick={onContinue}>{DATA_REQUESTS.continue(withNoun(count, 'submission'))}</Button>
        ) : null}
      </Group>
    </form>
  </PanelFrame>
);

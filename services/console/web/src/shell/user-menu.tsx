import { Alert, Button, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { DropDown } from '../components/drop-down.tsx';
import { timeZone } from '../preferences.ts';
import { logOut, useSession } from '../session.ts';

/** The person's name, and behind it their roles and settings. */
export function UserMenu() {
  const { subject, roles } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const zone = timeZone.use();
  const [hasFailed, setFailed] = useState(false);
  return (
    <DropDown
      label="Account"
      position="bottom-end"
      width={260}
      button={{
        variant: 'subtle',
        color: 'gray',
        ml: 'auto',
        px: { base: 'xs', md: 'md' },
        maw: '40%',
        flex: 'none',
        'aria-label': `Account: ${subject}`,
        children: `${subject} ▾`,
      }}
    >
      {() => (
        <Stack gap={6}>
          <Text size="xs" c="dimmed">
            Roles
          </Text>
          <Text size="sm">{roles.map((role) => role.replace('staff:', '')).join(', ')}</Text>
          <Text size="xs" c="dimmed">
            Theme
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Theme"
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
              { value: 'auto', label: 'System' },
            ]}
          />
          <Text size="xs" c="dimmed">
            Times
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Times"
            value={zone}
            onChange={(value) => timeZone.set(value === 'local' ? 'local' : 'utc')}
            data={[
              { value: 'utc', label: 'UTC' },
              { value: 'local', label: 'Local' },
            ]}
          />
          <Button mt="xs" onClick={() => logOut().catch(() => setFailed(true))}>
            Log out everywhere
          </Button>
          {hasFailed ? (
            <Alert color="red">
              You are still logged in, because the console did not respond. Try again.
            </Alert>
          ) : null}
        </Stack>
      )}
    </DropDown>
  );
}

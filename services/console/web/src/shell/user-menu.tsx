import { Alert, Button, SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useState } from 'react';
import { DropDown } from '../components/drop-down.tsx';
import { timeZone } from '../preferences.ts';
import { logOut, useSession } from '../session.ts';
import { SHELL } from './shell-texts.ts';

/** The person's name, and behind it their roles and settings. */
export function UserMenu() {
  const { subject, roles } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const zone = timeZone.use();
  const [hasFailed, setFailed] = useState(false);
  return (
    <DropDown
      label={SHELL.account}
      position="bottom-end"
      width={260}
      button={{
        variant: 'subtle',
        color: 'gray',
        ml: 'auto',
        px: { base: 'xs', md: 'md' },
        maw: '40%',
        flex: 'none',
        'aria-label': `${SHELL.account}: ${subject}`,
        children: `${subject} ▾`,
      }}
    >
      {() => (
        <Stack gap={6}>
          <Text size="xs" c="dimmed">
            {SHELL.roles}
          </Text>
          <Text size="sm">{roles.map((role) => role.replace('staff:', '')).join(', ')}</Text>
          <Text size="xs" c="dimmed">
            {SHELL.theme}
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={SHELL.theme}
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: 'light', label: SHELL.light },
              { value: 'dark', label: SHELL.dark },
              { value: 'auto', label: SHELL.system },
            ]}
          />
          <Text size="xs" c="dimmed">
            {SHELL.times}
          </Text>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label={SHELL.times}
            value={zone}
            onChange={(value) => timeZone.set(value === 'local' ? 'local' : 'utc')}
            data={[
              { value: 'utc', label: SHELL.utc },
              { value: 'local', label: SHELL.local },
            ]}
          />
          <Button mt="xs" onClick={() => logOut().catch(() => setFailed(true))}>
            {SHELL.logOut}
          </Button>
          {hasFailed ? <Alert color="red">{SHELL.logOutFailed}</Alert> : null}
        </Stack>
      )}
    </DropDown>
  );
}

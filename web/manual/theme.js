// The theme that was chosen in the viewer (src/app/theme.ts); without one the system's.
try {
  const theme = localStorage.getItem('gait.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.setAttribute('data-theme', theme);
} catch {
  // storage is off
}

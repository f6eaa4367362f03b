# Installs the `memory` command for this user, as shipped by the server named below, and logs this laptop in.
# Nothing outside your home folder is changed. Run it again at any time; to undo it: memory uninstall --all
#
# $env:MEMORY_PYTHON       the Python to use (@PYTHON@ or later)
# $env:MEMORY_BIN_DIR      where the command goes (default: ~\.local\bin)
# $env:MEMORYSERVER_TOKEN  a token, to log in without a browser

function Install-Memory {
    $server = @SERVER@
    $path = @PATH@
    $sha256 = @SHA256@
    $version = @VERSION@
    $oldest = @PYTHON@
    $ErrorActionPreference = 'Stop'
    $ProgressPreference = 'SilentlyContinue'  # which slows downloads in PowerShell 5

    $check = 'import sys; sys.exit(sys.version_info < tuple(map(int, sys.argv[1].split(chr(46)))))'
    $python = $null
    $names = @('python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11')
    if ($env:MEMORY_PYTHON) { $names = @($env:MEMORY_PYTHON) }
    foreach ($name in $names) {
        $command = Get-Command $name -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
        if (-not $command) { continue }
        try { & $command.Source -c $check $oldest *> $null } catch { continue }
        if ($LASTEXITCODE -eq 0) { $python = $command.Source; break }
    }
    if (-not $python -and $env:MEMORY_PYTHON) {
        Write-Error "memory: MEMORY_PYTHON=$env:MEMORY_PYTHON is not Python $oldest or later" -ErrorAction Continue
        return
    }
    if (-not $python) {
        Write-Error ("memory: Python $oldest or later is needed and was not found. Install it " +
            '(winget install Python.Python.3.13), or name one in $env:MEMORY_PYTHON, and run this again.') -ErrorAction Continue
        return
    }

    $folder = Join-Path ([System.IO.Path]::GetTempPath()) ('memory.' + [System.Guid]::NewGuid().ToString('N'))
    New-Item -ItemType Directory -Path $folder | Out-Null
    try {
        $file = Join-Path $folder 'client.pyz'
        Write-Host "Fetching memory $version from $server"
        try {
            Invoke-WebRequest -Uri ($server + $path) -OutFile $file -UseBasicParsing -TimeoutSec 300
        } catch {
            Write-Error "memory: $server$path could not be fetched; nothing was changed. Run this again. ($_)" -ErrorAction Continue
            return
        }
        if ((Get-FileHash -Algorithm SHA256 -Path $file).Hash -ne $sha256) {
            Write-Error ("memory: what came from $server$path is damaged, or the server was updated just now; " +
                'nothing was changed. Run this again.') -ErrorAction Continue
            return
        }
        $arguments = @($file, '--server', $server, '--sha256', $sha256)
        & $python @arguments
    } finally {
        Remove-Item -Recurse -Force $folder -ErrorAction SilentlyContinue
    }
}

Install-Memory

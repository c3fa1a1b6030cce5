# frozen_string_literal: true

# Required by memtui record before a Ruby program: notes where objects are allocated, and writes heap dumps: at the end,
# at SIGUSR2, and every MEMTUI_EVERY seconds. Dumps begin with a full collection, and stop the program meanwhile.
require 'objspace'

if ENV['MEMTUI_DUMPS'] && (ENV['MEMTUI_FOLLOW'] || Process.ppid == ENV['MEMTUI_PARENT'].to_i)
  module MemtuiDumps
    @count = 0
    @process = Process.pid
    @lock = Mutex.new

    def self.write
      return unless Process.pid == @process # not in forked children

      @lock.synchronize do
        @count += 1
        GC.start
        path = "#{ENV['MEMTUI_DUMPS']}-#{@process}-#{@count}.json"
        File.open(path, File::WRONLY | File::CREAT | File::EXCL, 0o600) { |f| ObjectSpace.dump_all(output: f) }
        File.write(ENV['MEMTUI_LIST'], "#{File.expand_path(path)}\n", mode: 'a')
      end
    rescue SystemCallError => e
      warn "memtui: no heap dump: #{e.message}"
    end
  end

  ObjectSpace.trace_object_allocations_start
  Signal.trap('USR2') { Thread.new { MemtuiDumps.write } }
  at_exit { MemtuiDumps.write }
  if (every = ENV['MEMTUI_EVERY'].to_f) > 0
    Thread.new { loop { sleep every; MemtuiDumps.write } }.report_on_exception = false
  end
end
